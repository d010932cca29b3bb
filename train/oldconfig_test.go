package train_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/train"
)

// asOld removes the keys net.encoder and data.source from a config.
func asOld(t *testing.T, text string) string {
	t.Helper()
	old := strings.NewReplacer("encoder = 'mlp'\n", "", "source = 'mog'\n", "").Replace(text)
	if len(text)-len(old) != len("encoder = 'mlp'\nsource = 'mog'\n") {
		t.Fatalf("the config lacks a new key:\n%s", text)
	}
	return old
}

// A run that was started before the keys net.encoder and data.source existed can be resumed, and its model files load:
// they mean vectors and mixtures.
func TestOldRunResumes(t *testing.T) {
	t.Parallel()
	dir, c := filepath.Join(t.TempDir(), "run"), tiny(train.NCP)
	ctx, listener := stopAfter(4)
	if _, err := train.Run(ctx, goBackend(), sources.Source, c, dir, listener); !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config.toml")
	must.M(os.WriteFile(path, []byte(asOld(t, string(must.M1(os.ReadFile(path))))), 0o644))
	for _, path := range []string{lastCheckpoint(dir), train.BestPath(dir)} {
		changeUnsealed(path, func(file *safetensors.File) {
			file.Metadata["gfncp.config"] = asOld(t, file.Metadata["gfncp.config"])
		})
	}
	if got := must.M1(train.ReadConfig(dir)); got != c {
		t.Errorf("the old config means %+v, want %+v", got, c)
	}
	if got := must.M1(train.ReadModel(train.BestPath(dir))).Config; got != c {
		t.Errorf("the old model's config means %+v, want %+v", got, c)
	}
	from, warnings := -1, 0
	got := must.M1(train.Run(context.Background(), goBackend(), sources.Source, c, dir, train.Listener{
		Start: func(step, _ int, _ bool) { from = step },
		Warn: func(err error) {
			if warnings++; !strings.Contains(err.Error(), "has no checksum") {
				t.Error(err)
			}
		},
	}))
	if from != 4 || got.Steps != c.Train.Steps || warnings == 0 {
		t.Errorf("resumed at step %d to %+v, with %d warnings", from, got, warnings)
	}
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
	path := lastCheckpoint(dir)
	for _, progress := range []string{"{", `{"step":-1}`} {
		changeUnsealed(path, func(file *safetensors.File) { file.Metadata["gfncp.progress"] = progress })
		_, err := train.Run(t.Context(), goBackend(), sources.Source, c, dir, train.Listener{})
		if err == nil || !strings.Contains(err.Error(), "its training progress is missing or not possible") {
			t.Errorf("progress %s gave %v", progress, err)
		}
	}
}
