package train_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/train"
)

// Weights that have diverged stop the run with its step, wherever their energies are met first: in the negative sample
// of a data step (no validation comes before), or in a validation, which goes by with no agreement at all and leaves it
// to the next step.
func TestDivergedWeightsStop(t *testing.T) {
	t.Parallel()
	for _, model := range []string{train.GFNCP, train.NCP} {
		for _, validEvery := range []int{1, 8} {
			c := tiny(model)
			c.Loss.Beta = 1
			c.Train.LearningRate, c.Train.ClipNorm, c.Train.WarmupSteps, c.Train.ValidEvery = 1e9, 0, 0, validEvery
			dir := filepath.Join(t.TempDir(), "run")
			_, err := train.Run(context.Background(), goBackend(), sources.Source, c, dir, train.Listener{})
			var diverged *train.NonFiniteError
			if !errors.As(err, &diverged) || diverged.Step != 2 || diverged.Seed != c.Seed {
				t.Errorf("%s, validation every %d steps: a rate of 1e9 gave %v, want a stop at step 2",
					model, validEvery, err)
			}
			if validEvery > 1 {
				continue
			}
			if v := must.M1(train.ReadValidations(dir)); len(v) != 1 || v[0].NMI != 0 || v[0].Loss < 1e300 {
				t.Errorf("%s: the validation of diverged weights is %+v", model, v)
			}
		}
	}
}
