package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// GoMLX's own checkpoint writer is not crash-safe, so a checkpoint is one safetensors file, written beside and renamed:
// the weights under their names, the moments of their gradients and the number of steps under optimizerPrefix, and the
// progress in the metadata.

const (
	metaProgress    = "gfncp.progress"
	metaData        = "gfncp.data" // the fingerprint of own data
	optimizerPrefix = "optimizer:/AdamOptimizer/"
	stepsDone       = optimizerPrefix + "step" // the number of optimizer steps
	keptCheckpoints = 2
)

type progress struct {
	Step     int     `json:"step"`
	BestStep int     `json:"best_step"` // 0: no validation yet
	BestLoss float64 `json:"best_loss"`
	Seconds  float64 `json:"seconds"` // time spent in steps
	// Unvalidated is true while the validation of Step is due.
	Unvalidated bool `json:"unvalidated,omitempty"`
}

// possible reports whether p can be the progress of a run of this number of steps.
func (p progress) possible(steps int) bool {
	return 0 <= p.BestStep && p.BestStep <= p.Step && p.Step <= steps
}

// writeCheckpoint saves the trainer's whole state and keeps only the newest checkpoints. It also removes checkpoints of
// later steps: they were damaged when the run was resumed.
func (t *Trainer) writeCheckpoint(dir string, p progress) error {
	file, err := t.encodeState(p)
	if err != nil {
		return fmt.Errorf("checkpoint at step %d: %w", t.Step, err)
	}
	path := stepPath(dir, checkpointFolder, t.Step)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := writeSafetensors(path, file); err != nil {
		return err
	}
	paths := stepPaths(dir, checkpointFolder)
	last := slices.Index(paths, path) + 1
	if last == 0 {
		return nil // the folder cannot be listed
	}
	for _, path := range slices.Delete(paths, max(0, last-keptCheckpoints), last) {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove an old checkpoint: %w", err)
		}
	}
	return nil
}

func (t *Trainer) encodeState(p progress) (*safetensors.File, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	ps, err := t.Weights()
	if err != nil {
		return nil, err
	}
	moments, err := momentLayout(ps).With(t.weights.moments)
	if err != nil {
		return nil, err
	}
	done := models.Param{Name: stepsDone, Shape: []int{}, Data: []float32{float32(t.Step)}}
	metadata := map[string]string{
		metaFormat: formatCheckpoint, metaConfig: t.Config.String(), metaProgress: string(text),
	}
	if t.data != "" {
		metadata[metaData] = t.data
	}
	return fileOf(slices.Concat(ps, moments, models.Params{done}), false, metadata), nil
}

// resume returns a trainer at the newest readable checkpoint of dir, nil if there is no checkpoint, and the faults of
// the checkpoints that it passed over. Damage shows in the checksum, or in weights, optimizer and progress.
func resume(
	backend compute.Backend, open Sources, c Config, dir string,
) (t *Trainer, p progress, skipped []error, err error) {
	paths := stepPaths(dir, checkpointFolder)
	if len(paths) == 0 {
		last, _ := LastStep(dir)
		if last.Step <= c.Train.CheckpointEvery {
			return nil, p, nil, nil
		}
		return nil, p, nil, usererr.File(filepath.Join(dir, checkpointFolder), 0,
			"copy them here from where the run was trained, or train into a new directory",
			"holds no checkpoint, but the run came to step %d", last.Step)
	}
	if _, err := open(c.Data); err != nil {
		return nil, p, nil, err
	}
	for _, path := range slices.Backward(paths) {
		t, p, err = readCheckpoint(backend, open, c, path)
		if err == nil {
			return t, p, skipped, nil
		}
		if errors.Is(err, errOtherData) {
			return nil, p, nil, err
		}
		skipped = append(skipped, err)
	}
	return nil, p, skipped, usererr.File(dir, 0, "start a new run in another directory",
		"none of its %d checkpoints can be read (%v)", len(paths), skipped[0])
}

var errOtherData = errors.New("other data")

// fingerprint identifies a user's own data by rows×columns and a hash. It is empty for other data.
func (c Config) fingerprint(source data.Source) string {
	pools, ok := source.(*data.PoolSource)
	if !ok || !c.Data.IsOwn() {
		return ""
	}
	pool, hash := pools.Pool(), sha256.New()
	_ = binary.Write(hash, binary.LittleEndian, pool.X)
	if c.Data.Mode == data.ModeGenerative {
		_ = binary.Write(hash, binary.LittleEndian, pool.Labels)
	}
	return fmt.Sprintf("%d×%d %x", pool.Len(), pool.D, hash.Sum(nil))
}

func readCheckpoint(backend compute.Backend, open Sources, c Config, path string) (*Trainer, progress, error) {
	var p progress
	file, err := safetensors.ReadFile(path)
	if err != nil {
		return nil, p, err
	}
	m, err := decodeModel(path, file)
	if err != nil {
		return nil, p, err
	}
	if m.Config.String() != c.String() {
		return nil, p, usererr.File(path, 0, "resume with the run's own config",
			"it was written by a run with another config")
	}
	if err := json.Unmarshal([]byte(file.Metadata[metaProgress]), &p); err != nil || !p.possible(c.Train.Steps) {
		return nil, p, usererr.File(path, 0, "give a checkpoint of gfncp train",
			"its training progress is missing or not possible")
	}
	w := newWeights(backend, m.Params)
	if err := w.restoreMoments(file, p.Step); err != nil {
		return nil, p, usererr.File(path, 0, "give a checkpoint of gfncp train", "%v", err)
	}
	t, err := newTrainer(w, open, c)
	if err != nil {
		return nil, p, err
	}
	if began := file.Metadata[metaData]; began != "" && began != t.data {
		return nil, p, usererr.File(c.Data.Path, 0,
			"give the run the data that it began with, or train into a new directory",
			"has changed since the run began").Because(errOtherData)
	}
	t.Step = p.Step
	return t, p, nil
}

// restoreMoments reads the moments after a number of steps. It fails for a file that lacks one, or that was written
// after another number of steps. A file of step 0 need not have them.
func (w *weights) restoreMoments(file *safetensors.File, step int) error {
	if _, found := file.Tensors[stepsDone]; !found && step == 0 {
		return nil
	}
	state := append(models.Params{{Name: stepsDone}}, momentLayout(w.layout)...)
	if err := readParams(file, state); err != nil {
		return err
	}
	if done := state[0].Data[0]; done != float32(step) {
		return fmt.Errorf("its optimizer has taken %g steps, but its progress says %d", done, step)
	}
	w.moments = state[1:].Tensors()
	return nil
}
