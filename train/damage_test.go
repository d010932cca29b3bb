package train_test

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// changeFile changes a model file or checkpoint and gives it a right checksum, unless that is what is changed.
func changeFile(path string, change func(*safetensors.File)) {
	file := must.M1(safetensors.ReadFile(path))
	before := file.Metadata[safetensors.MetaSum]
	change(file)
	if file.Metadata[safetensors.MetaSum] == before {
		file.Metadata[safetensors.MetaSum] = must.M1(safetensors.Checksum(file))
	}
	var b bytes.Buffer
	must.M(safetensors.Encode(&b, file))
	must.M(os.WriteFile(path, b.Bytes(), 0o644))
}

// One flipped bit anywhere, or a missing end, and a file is refused: header, names, weights, optimizer, checksum.
func TestEveryDamageIsRefused(t *testing.T) {
	t.Parallel()
	dir := stopped(t, tiny(train.GFNCP), 4)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, path := range []string{train.BestPath(dir), lastCheckpoint(dir)} {
		whole := must.M1(os.ReadFile(path))
		must.M1(train.DecodeModel("whole", whole))
		header := 8 + int(whole[0]) + int(whole[1])<<8
		for i := range 200 {
			damaged, at := slices.Clone(whole), rng.IntN(header)
			if i%2 == 0 {
				at = header + rng.IntN(len(whole)-header)
			}
			damaged[at] ^= 1 << rng.IntN(8)
			if _, err := train.DecodeModel("damaged", damaged); !usererr.Is(err) {
				t.Errorf("byte %d of %d, %q for %q, gave %v", at, len(whole), damaged[at], whole[at], err)
			}
			if _, err := train.DecodeModel("cut", whole[:rng.IntN(len(whole))]); !usererr.Is(err) {
				t.Errorf("a file that is cut short gave %v", err)
			}
		}
	}
}

// damages are what a checkpoint of step 6 with the validation of step 3 cannot be.
var damages = map[string]func(*safetensors.File){
	"no optimizer": func(f *safetensors.File) {
		maps.DeleteFunc(f.Tensors, func(name string, _ safetensors.Tensor) bool {
			return strings.HasPrefix(name, "optimizer:/AdamOptimizer/f.")
		})
	},
	"no counter": func(f *safetensors.File) { delete(f.Tensors, "optimizer:/AdamOptimizer/step") },
	"renamed moment": func(f *safetensors.File) {
		f.Tensors[aMoment+"x"] = f.Tensors[aMoment]
		delete(f.Tensors, aMoment)
	},
	"other shape": func(f *safetensors.File) {
		t := f.Tensors[aMoment]
		t.Shape = append(t.Shape, 1)
		f.Tensors[aMoment] = t
	},
	"earlier step":   func(f *safetensors.File) { setProgress(f, `{"step":5,"best_step":3}`) },
	"later step":     func(f *safetensors.File) { setProgress(f, `{"step":7,"best_step":3}`) },
	"beyond the end": func(f *safetensors.File) { setProgress(f, `{"step":75,"best_step":3}`) },
	"best of later":  func(f *safetensors.File) { setProgress(f, `{"step":6,"best_step":7}`) },
	"step 0":         func(f *safetensors.File) { setProgress(f, `{"step":0,"best_step":0}`) },

	"no checksum":      func(f *safetensors.File) { delete(f.Metadata, safetensors.MetaSum) },
	"another checksum": func(f *safetensors.File) { f.Metadata[safetensors.MetaSum] = strings.Repeat("0", 64) },
}

const aMoment = "optimizer:/AdamOptimizer/f.0.weight_1st_moment"

func setProgress(f *safetensors.File, text string) { f.Metadata["gfncp.progress"] = text }

// A damaged checkpoint is passed over with a warning, and the run goes on from the one before to the same bytes.
func TestResumePassesOverEveryDamage(t *testing.T) {
	short.Skip(t, "trains a dozen times")
	t.Parallel()
	c := tiny(train.GFNCP)
	whole := stopped(t, c, 8)
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			dir := stopped(t, c, 6)
			changeFile(lastCheckpoint(dir), damage)
			_, from, warnings := finish(t, c, dir)
			if from != 3 || len(warnings) != 1 || !strings.Contains(warnings[0], "passed over a checkpoint") {
				t.Errorf("resumed at %d, want 3, with %q", from, warnings)
			}
			endsAs(t, "resumed", dir, whole)
		})
	}
}

// A damaged checkpoint that was passed over makes room for good ones: a run that is damaged, resumed, and damaged again
// goes on.
func TestDamagedAgain(t *testing.T) {
	t.Parallel()
	c := tiny(train.GFNCP)
	dir := stopped(t, c, 6) // with checkpoints of steps 3 and 6
	must.M(os.Truncate(lastCheckpoint(dir), 1000))
	goOn(t, sources.Source, c, dir, 4)
	must.M(os.Truncate(filepath.Join(dir, "checkpoints/step-00000004.safetensors"), 1000))
	if _, _, warnings := finish(t, c, dir); len(warnings) != 1 {
		t.Errorf("it warned %q", warnings)
	}
	endsAs(t, "damaged again", dir, stopped(t, c, 8))
}

// What a killed session was writing does not stay.
func TestLeftoversOfKilledSessions(t *testing.T) {
	t.Parallel()
	c := tiny(train.GFNCP)
	dir := stopped(t, c, 4)
	for _, folder := range []string{dir, filepath.Join(dir, "checkpoints")} {
		must.M(os.WriteFile(filepath.Join(folder, ".gfncp-"+crand.Text()+".tmp"), []byte("half"), 0o644))
	}
	finish(t, c, dir)
	must.M(filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".tmp") {
			t.Errorf("%s stays", path)
		}
		return err
	}))
}

// A run whose best weights are missing or damaged is not finished: going on, it takes the best of what is left, at the
// last step that step's, says so, and keeps its log.
func TestLostBestWeights(t *testing.T) {
	t.Parallel()
	c := tiny(train.GFNCP)
	for name, lose := range map[string]func(path string) error{
		"missing": os.Remove,
		"damaged": func(path string) error { return os.Truncate(path, 1000) },
	} {
		dir := stopped(t, c, 8)
		log, last := lossColumn(dir), weights(lastCheckpoint(dir))
		must.M(lose(train.BestPath(dir)))
		if _, err := train.ReadResult(dir); err == nil {
			t.Errorf("%s: the run counts as finished", name)
		}
		done, _, warnings := finish(t, c, dir)
		if len(warnings) != 1 || !strings.Contains(warnings[0], "are lost") || done.BestStep != c.Train.Steps {
			t.Errorf("%s: %+v, with %q", name, done, warnings)
		}
		if weights(train.BestPath(dir)) != last || lossColumn(dir) != log {
			t.Errorf("%s: not the last step's weights, or another log:\n%s\nwant\n%s", name, lossColumn(dir), log)
		}
		if again := must.M1(train.ReadResult(dir)); again != done {
			t.Errorf("%s: the result is %+v, want %+v", name, again, done)
		}
	}
	dir := stopped(t, c, 4) // after the validation of step 3
	must.M(os.Remove(train.BestPath(dir)))
	done, _, warnings := finish(t, c, dir)
	if _, err := train.ReadResult(dir); err != nil || len(warnings) != 1 || done.BestStep < 6 {
		t.Errorf("without the weights of step 3: %+v, %q, %v", done, warnings, err)
	}
}

// A run whose first weights cannot be read leaves nothing behind, so that the corrected call begins.
func TestUnreadableInitLeavesNothing(t *testing.T) {
	c := tiny(train.GFNCP)
	c.Train.Init = "typo"
	refused(t, sources.Source, c, filepath.Join(t.TempDir(), "run"), "typo: ")
}

// A run that was ended before its first step goes on from step 0; a checkpoint without progress is refused.
func TestCheckpointOfStepZero(t *testing.T) {
	t.Parallel()
	dir, c := filepath.Join(t.TempDir(), "run"), tiny(train.NCP)
	c.Train.Steps = 1
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := train.Run(ctx, goBackend(), sources.Source, c, dir, train.Listener{
			Start: func(int, int, bool) { cancel() },
		})
		if !errors.Is(err, train.ErrInterrupted) {
			t.Fatalf("an ended run gave %v", err)
		}
	}
	for _, progress := range []string{"{", `{"step":-1}`} {
		changeFile(lastCheckpoint(dir), func(f *safetensors.File) { setProgress(f, progress) })
		refused(t, sources.Source, c, dir, "its training progress is missing or not possible")
	}
}
