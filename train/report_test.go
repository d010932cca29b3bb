package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// fixedObjective has a number of its own for each thing that a step reports: the loss 2 + 3·w₀ + 4·w₁, the parts 11 to
// 14 and another one, and sampled labels of four and of three clusters.
type fixedObjective struct{}

func (fixedObjective) Plan(_ context.Context, _ Moment, batch *data.Batch) (Task, error) {
	return Task{Kind: losses.DataStep, Batch: batch, Negative: [][]int32{{0, 1, 2, 3}, {0, 1, 1, 2}}}, nil
}

func (fixedObjective) Inputs(_ Moment, part int, shard Task) ([]*tensors.Tensor, error) {
	if len(shard.Negative) != shard.Batch.B {
		return nil, fmt.Errorf("shard %d has %d sets and %d sampled ones", part, shard.Batch.B, len(shard.Negative))
	}
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(shard.Batch.X, shard.Batch.B, 4)}, nil
}

func (fixedObjective) Loss(_ string, _ bool, weights []*Node, share *Node, in []*Node) losses.Terms {
	sets := MulScalar(share, float64(in[0].Shape().Dimensions[0]))
	scalar := func(value float64) *Node { return Mul(sets, Scalar(share.Graph(), dtypes.Float32, value)) }
	slope := ReduceAllSum(Mul(weights[0], Const(share.Graph(), []float32{3, 4})))
	t := losses.Terms{Loss: Add(Mul(sets, slope), scalar(2))}
	for i, name := range []string{"nll", "reg", "cd", "mc", "other"} {
		t.Parts = append(t.Parts, losses.Part{Name: name, Node: scalar(float64(14 - i))})
	}
	return t
}

func (fixedObjective) Cluster(context.Context, int, *data.Batch) ([][]int32, error) { return nil, nil }

type fixedSource struct{}

func (fixedSource) Batch(uint64, int) (*data.Batch, error) {
	return &data.Batch{B: 2, N: 4, D: 1, X: make([]float32, 8), Labels: []int32{0, 0, 1, 1, 0, 0, 0, 0}}, nil
}
func (fixedSource) Dim() int { return 1 }

// Every field of a report is the number that it should be, whether the batch is cut into shards or not, and so it is in
// the log's line.
func TestReportHasEachField(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2} {
		c := Default(GFNCP)
		c.Train.Steps, c.Train.LearningRate, c.Train.FinalRate, c.Train.RateEvery = 12, 0.3, 0.1, 1
		layout := models.Params{{Name: "w", Shape: []int{2}, Data: []float32{0, 0}}}
		backend, o := openGo(t), fixedObjective{}
		current := newWeights(backend, layout)
		trainer := &Trainer{
			Config: c, Step: 6, weights: current, objective: o,
			batches:   &batches{source: fixedSource{}, seed: c.Seed},
			evaluator: newEvaluator(current, o, shards),
			optimizer: newOptimizer(current, c.Train),
		}
		got := must.M1(trainer.Advance())
		want := StepReport{
			Step: 7, Kind: "data", Loss: 2,
			Terms:    map[string]float64{"mc": 11, "cd": 12, "reg": 13, "nll": 14, "other": 10},
			GradNorm: 5, Rate: 0.2, Points: 4, Clusters: 1.5, Sampled: 3.5,
		}
		if !reflect.DeepEqual(got, want) || trainer.Step != 7 {
			t.Errorf("%d shards: the report is %+v, want %+v", shards, got, want)
		}
		got.Seconds = 0.5
		const line = `{"step":7,"kind":"data","loss":2,"grad_norm":5,"learning_rate":0.2,"points":4,"clusters":1.5,` +
			`"sampled":3.5,"seconds":0.5,"cd":12,"mc":11,"nll":14,"other":10,"reg":13}`
		if text := string(must.M1(json.Marshal(got))); text != line {
			t.Errorf("the line is\n%s, want\n%s", text, line)
		}
		var again StepReport
		if must.M(json.Unmarshal([]byte(line), &again)); !reflect.DeepEqual(again, got) {
			t.Errorf("the line is read as %+v, want %+v", again, got)
		}
	}
}

// GFNCP's first steps are a warm-up, as many as the config says and no validation; of the others a share of β looks at
// the data's labels, whatever the seed. NCP has one kind of step.
func TestKindsOfSteps(t *testing.T) {
	t.Parallel()
	const warmup, after = 5, 4000
	for seed := range uint64(3) {
		c := Default(GFNCP)
		c.Seed, c.Loss.Beta, c.Train.WarmupSteps = seed, 0.7, warmup
		count := map[string]int{}
		for step := range warmup + after {
			kind := (&energyObjective{config: c}).stepKind(Moment{Index: step})
			if count[kind]++; (kind == losses.WarmupStep) != (step < warmup) {
				t.Errorf("step %d is of kind %s", step, kind)
			}
			if held := (&energyObjective{config: c}).stepKind(Moment{step, true}); held != losses.DataStep {
				t.Fatalf("validation %d is of kind %s", step, held)
			}
		}
		// 4 standard deviations of a binomial with 4,000 trials: 0.029
		if share := float64(count[losses.DataStep]) / after; share < 0.671 ||
			share > 0.729 || count[losses.ExplorationStep] != after-count[losses.DataStep] {
			t.Errorf("kinds %v: a share of %g, want 0.7, of data steps", count, share)
		}
		c.Model = NCP
		for _, at := range []Moment{{}, {Held: true}, {Index: 100}} {
			if kind := (&energyObjective{config: c}).stepKind(at); kind != losses.LikelihoodStep {
				t.Errorf("NCP at %+v: %s", at, kind)
			}
		}
	}
}

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
		layout := models.Params{{Name: "w", Shape: []int{2}, Data: []float32{0, 0}}}
		o := crowd{inside: new(atomic.Int64), goOn: make(chan struct{})}
		e := newEvaluator(newWeights(backend, layout), o, sets)
		batch := &data.Batch{B: sets, N: 1, D: 1, X: make([]float32, sets), Labels: make([]int32, sets)}
		done := make(chan error)
		go func() {
			_, _, err := e.compute(t.Context(), Moment{}, Task{Kind: losses.DataStep, Batch: batch})
			done <- err
		}()
		for gone := range processors { // no shard begins after one has failed
			synctest.Wait()
			if got, want := o.inside.Load(), processors-gone; got != int64(want) {
				t.Errorf("%d shards are computed at a time after %d of %d, want %d", got, gone, sets, want)
			}
			o.goOn <- struct{}{}
		}
		if err := <-done; !errors.Is(err, errLetGo) {
			t.Errorf("compute gave %v", err)
		}
	})
}
