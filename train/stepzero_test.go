package train_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/train"
)

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
		changeSealed(path, func(f *safetensors.File) { setProgress(f, progress) }, func(*safetensors.File) {})
		_, err := train.Run(t.Context(), goBackend(), sources.Source, c, dir, train.Listener{})
		if err == nil || !strings.Contains(err.Error(), "its training progress is missing or not possible") {
			t.Errorf("progress %s gave %v", progress, err)
		}
	}
}
