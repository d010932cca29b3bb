package train

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// crowd is an objective whose shards wait until they are let go, and then fail.
type crowd struct {
	fixedObjective
	inside *atomic.Int64
	goOn   chan struct{}
}

var errLetGo = errors.New("let go")

func (c crowd) Inputs(Moment, int, Task) ([]*tensors.Tensor, error) {
	c.inside.Add(1)
	defer c.inside.Add(-1)
	<-c.goOn
	return nil, errLetGo
}

// However many shards a batch has, as many of them are computed at a time as there are processors: memory is predicted
// by that.
func TestShardsTakeTurns(t *testing.T) {
	backend := openGo(t)
	synctest.Test(t, func(t *testing.T) {
		processors := runtime.GOMAXPROCS(0)
		sets := 3*processors + 1
		weights := models.Params{{Name: "w", Shape: []int{2}, Data: []float32{0, 0}}}
		o := crowd{inside: new(atomic.Int64), goOn: make(chan struct{})}
		e := must.M1(newEvaluator(newWeights(backend, must.M1(weights.Store()), weights), o, sets))
		batch := &data.Batch{B: sets, N: 1, D: 1, X: make([]float32, sets), Labels: make([]int32, sets)}
		done := make(chan error)
		go func() {
			_, _, err := e.compute(t.Context(), Moment{}, Task{Kind: losses.DataStep, Batch: batch})
			done <- err
		}()
		for gone := range sets {
			synctest.Wait()
			if got, want := o.inside.Load(), min(processors, sets-gone); got != int64(want) {
				t.Errorf("%d shards are computed at a time after %d of %d, want %d", got, gone, sets, want)
			}
			o.goOn <- struct{}{}
		}
		if err := <-done; !errors.Is(err, errLetGo) {
			t.Errorf("compute gave %v", err)
		}
	})
}
