package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// scripted is a model whose validation losses are written down. Its one weight has the gradient 1 in training, so that
// each step of Adam at rate 1 lowers it by 1: the weight tells how many steps it has seen.
type scripted struct {
	first  float32      // the weight of step 0
	losses []float32    // of a validation after 0, 1, 2, … steps
	hook   func() error // runs before the inputs of a computation; may be nil
}

func (s scripted) Layout() models.Params { return models.Params{{Name: "w", Shape: []int{1}}} }

func (s scripted) Inputs(_ *rand.Rand, batch *data.Batch, _ models.Buckets) ([]*tensors.Tensor, error) {
	in := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(batch.X, batch.B, batch.N*batch.D)}
	if s.hook != nil {
		return in, s.hook()
	}
	return in, nil
}

// Loss is the weight on points of 0, those of scriptedSource's training stream, and the script's line on others.
func (s scripted) Loss(weights []*Node, share *Node, in []*Node) *Node {
	w := Reshape(weights[0])
	steps := ConvertDType(Round(Sub(Const(w.Graph(), s.first), w)), dtypes.Int32)
	line := StopGradient(Reshape(Gather(Const(w.Graph(), s.losses), Reshape(steps, 1, 1))))
	isTraining := Equal(ReduceAllMax(Abs(in[0])), ScalarZero(w.Graph(), dtypes.Float32))
	return Mul(MulScalar(share, float64(in[0].Shape().Dimensions[0])), Where(isTraining, w, line))
}

func (s scripted) Open(compute.Backend, models.Params) (peers.Clusterer, error) { return s, nil }

func (s scripted) Cluster(_ *rand.Rand, _ []float32, b, _ int) ([][]int32, error) {
	return slices.Repeat([][]int32{{0, 1, 1, 2}}, b), nil
}

func register(t *testing.T, method peers.Method) {
	before := kinds
	t.Cleanup(func() { kinds = before })
	peer := peers.Peer{Name: "scripted", New: func(models.Config, peers.Config) peers.Method { return method }}
	kinds = append([]peers.Peer{peer}, before...)
}

// scriptedSource gives sets of four points that are 0 in training and 1 in the stream "valid", and counts what it is
// asked for.
type scriptedSource struct {
	config data.Config
	asked  map[string][]int // may be nil
	second error            // of the second step's batch
}

func openScripted(c data.Config) (data.Source, error) { return scriptedSource{config: c}, nil }

func (s scriptedSource) Batch(seed uint64, step int) (*data.Batch, error) {
	if s.asked != nil {
		key := fmt.Sprintf("%s of seed %d", s.config.Stream, seed)
		s.asked[key] = append(s.asked[key], step)
	}
	if step == 1 && s.second != nil {
		return nil, s.second
	}
	b := &data.Batch{B: s.config.Batch, N: 4, D: 2, X: make([]float32, s.config.Batch*4*2)}
	for range b.B {
		b.Labels = append(b.Labels, 0, 0, 1, 1)
	}
	if s.config.Stream == "valid" {
		for i := range b.X {
			b.X[i] = 1
		}
	}
	return b, nil
}

func (s scriptedSource) Dim() int { return 2 }

func scriptedConfig(steps int) Config {
	c := Default("scripted")
	c.Data.Batch, c.Peer = 3, peers.Default(true)
	c.Train = Options{
		Steps: steps, LearningRate: 1, FinalRate: 1, RateEvery: 1, Shards: 1, ValidEvery: 100, ValidSets: 6,
		CheckpointEvery: 100,
	}
	return c
}

// runScript trains the scripted model, a step a validation loss, and returns its result, its directory, the validations
// heard and the batches asked for.
func runScript(t *testing.T, validEvery int, losses ...float32) (Result, string, []Validation, map[string][]int) {
	t.Helper()
	c := scriptedConfig(len(losses))
	c.Seed, c.Train.ValidEvery = 5, validEvery
	s := scripted{losses: append([]float32{-1}, losses...)}
	s.first = s.Layout().Init(data.Rand(c.Seed, "init", 0))[0].Data[0]
	register(t, s)
	asked := map[string][]int{}
	var heard []Validation
	dir := filepath.Join(t.TempDir(), "run")
	open := func(c data.Config) (data.Source, error) { return scriptedSource{c, asked, nil}, nil }
	result := must.M1(Run(t.Context(), openGo(t), open, c, dir,
		Listener{Valid: func(v Validation) { heard = append(heard, v) }}))
	m := must.M1(ReadModel(BestPath(dir)))
	if w := s.first - float32(result.BestStep); math.Abs(float64(m.Params[0].Data[0]-w)) > 1e-3 {
		t.Errorf("losses %v: the weights kept have seen %g steps, want %d",
			losses, s.first-m.Params[0].Data[0], result.BestStep)
	}
	if m.Card.Steps != result.BestStep || m.Card.Loss != result.BestLoss ||
		m.Card.Selected != "lowest validation loss" || m.Card.Backend != "Go Backend" ||
		m.Card.Name != filepath.Base(BestPath(dir)) {
		t.Errorf("losses %v: the card is %+v, the result %+v", losses, m.Card, result)
	}
	return result, dir, heard, asked
}

// The weights of the lowest validation loss are kept: of equal ones the first, and any number before one that is none.
func TestBestIsTheLowest(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		every  int
		losses []float32
		step   int
		loss   float64
	}{
		{1, []float32{5, 3, 4}, 2, 3},
		{1, []float32{1, 2, 3}, 1, 1},
		{1, []float32{3, 2, 1}, 3, 1},
		{1, []float32{4, 2, 2, 3}, 2, 2},
		{1, []float32{-1, -3, -2}, 2, -3},
		{1, []float32{nan, 9, nan, 10}, 2, 9},
		{1, []float32{8, nan, inf, 7}, 4, 7},
		{1, []float32{nan, inf}, 1, math.MaxFloat64},
		{2, []float32{1, 6, 1, 7, 5}, 5, 5}, // at 2, 4 and the last step
	} {
		r, _, heard, _ := runScript(t, test.every, test.losses...)
		if r.BestStep != test.step || r.BestLoss != test.loss {
			t.Errorf("losses %v: kept step %d with %g, want %d with %g",
				test.losses, r.BestStep, r.BestLoss, test.step, test.loss)
		}
		lowest := math.Inf(1)
		for _, v := range heard {
			want := float64(test.losses[v.Step-1])
			if math.IsNaN(want) || math.IsInf(want, 0) {
				want = math.MaxFloat64
			}
			if v.Loss != want || v.Best != (want < lowest) {
				t.Errorf("losses %v: heard %+v", test.losses, v)
			}
			lowest = min(lowest, want)
		}
	}
}

// A run of three steps: what it asks of its source, and each field of what it writes.
func TestRunWritesEachField(t *testing.T) {
	r, dir, heard, asked := runScript(t, 2, 7, 2.5, 6)
	// Six validation sets are two batches of three, read once; training reads a batch a step.
	if want := "map[train of seed 5:[0 1 2] valid of seed 5:[0 1]]"; fmt.Sprint(asked) != want {
		t.Errorf("the sources were asked for %v, want %s", asked, want)
	}
	nmi := must.M1(metrics.NMI([]int32{0, 0, 1, 1}, []int32{0, 1, 1, 2}))
	if want := []Validation{{2, 2.5, nmi, 3, 2, true}, {3, 6, nmi, 3, 2, false}}; !slices.Equal(heard, want) {
		t.Errorf("validations %+v, want %+v", heard, want)
	}
	var lines []string
	var losses []float64
	seconds := 0.0
	for line := range strings.Lines(string(must.M1(os.ReadFile(filepath.Join(dir, "metrics.jsonl"))))) {
		var step StepReport
		if strings.Contains(line, `"kind":`) {
			must.M(json.Unmarshal([]byte(line), &step))
			losses = append(losses, step.Loss)
			seconds += step.Seconds
			if step.Seconds <= 0 || !(math.Abs(step.Loss-losses[0]+float64(step.Step-1)) <= 1e-4) {
				t.Errorf("step %d took %g seconds, its loss is %g, that of step 1 %g",
					step.Step, step.Seconds, step.Loss, losses[0])
			}
		}
		text, _, _ := strings.Cut(strings.TrimSuffix(line, "}\n"), `,"seconds":`)
		lines = append(lines, text)
	}
	for i, want := range []string{
		stepLine(1, losses[0]), stepLine(2, losses[1]),
		fmt.Sprintf(`{"step":2,"validation_loss":2.5,"nmi":%v,"found_clusters":3,"true_clusters":2,"best":true`, nmi),
		stepLine(3, losses[2]),
		fmt.Sprintf(`{"step":3,"validation_loss":6,"nmi":%v,"found_clusters":3,"true_clusters":2,"best":false`, nmi),
	} {
		if i >= len(lines) || lines[i] != want {
			t.Errorf("line %d of the log is not\n%s\nbut the log is\n%s", i+1, want, strings.Join(lines, "\n"))
		}
	}
	if !(math.Abs(r.Seconds-seconds) <= 1e-9) {
		t.Errorf("the run took %g seconds, its steps %g", r.Seconds, seconds)
	}
	want := fmt.Sprintf(
		"{\n  \"steps\": 3,\n  \"best_step\": 2,\n  \"validation_loss\": 2.5,\n  \"seconds\": %v,\n  \"backend\": "+
			"\"Go Backend\"\n}\n", r.Seconds,
	)
	if got := string(must.M1(os.ReadFile(filepath.Join(dir, "result.json")))); got != want ||
		must.M1(ReadResult(dir)) != r {
		t.Errorf("the result file holds %s, want %s", got, want)
	}
}

// unbounded has an infinite loss of finite gradient, or a finite one with none.
type unbounded struct {
	scripted
	smooth bool
}

func (u unbounded) Loss(weights []*Node, _ *Node, _ []*Node) *Node {
	w := Reshape(weights[0])
	if u.smooth {
		return Add(w, Const(w.Graph(), float32(math.Inf(1))))
	}
	return Sqrt(Sub(w, w))
}

// Either of a loss and a gradient that is not finite stops a run.
func TestNonFiniteLossOrGradientStops(t *testing.T) {
	for _, smooth := range []bool{false, true} {
		register(t, unbounded{smooth: smooth})
		c := scriptedConfig(1)
		_, err := must.M1(New(openGo(t), openScripted, c)).Advance()
		stopped, ok := errors.AsType[*NonFiniteError](err)
		if !ok || metrics.IsFinite(stopped.Loss) == smooth || metrics.IsFinite(stopped.Norm) != smooth {
			t.Errorf("smooth %v: the step gave %v", smooth, err)
		}
	}
}

// A step that fails, by its data or by its model, is named by its number from 1.
func TestFailedStepIsNamed(t *testing.T) {
	broken := errors.New("broken")
	for _, fails := range []struct{ source, model error }{{source: broken}, {model: broken}} {
		calls := 0
		register(t, scripted{losses: []float32{0, 0}, hook: func() error {
			if calls++; calls == 2 {
				return fails.model
			}
			return nil
		}})
		open := func(c data.Config) (data.Source, error) { return scriptedSource{config: c, second: fails.source}, nil }
		trainer := must.M1(New(openGo(t), open, scriptedConfig(2)))
		must.M1(trainer.Advance())
		if _, err := trainer.Advance(); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "step 2: ") {
			t.Errorf("step 2 failed with %v", err)
		}
	}
}

// stepLine is the log's line of a step of the scripted model, up to its seconds.
func stepLine(step int, loss float64) string {
	text := must.M1(json.Marshal(loss))
	return fmt.Sprintf(
		`{"step":%d,"kind":"scripted","loss":%s,"grad_norm":1,"learning_rate":1,"points":4,"clusters":2`, step, text)
}

// A run whose context ends while a gradient is computed does not wait for it: the checkpoint is that of the step
// before.
func TestInterruptedComputation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan struct{})
	defer close(end)
	c := scriptedConfig(4)
	calls := 0
	model := scripted{losses: make([]float32, 5), hook: func() error {
		if calls++; calls == 3 {
			cancel()
			<-end
		}
		return nil
	}}
	register(t, model)
	dir := filepath.Join(t.TempDir(), "run")
	backend := must.M1(must.M1(engine.Choose("go")).Open()) // stays open: the computation ends after the test
	if _, err := Run(ctx, backend, openScripted, c, dir, Listener{}); !errors.Is(err, ErrInterrupted) ||
		!errors.Is(err, context.Canceled) || err.Error() != "interrupted" {
		t.Fatalf("the run ended with %v", err)
	}
	first := model.Layout().Init(data.Rand(c.Seed, "init", 0))[0].Data[0]
	trainer, at, _, err := resume(openGo(t), openScripted, c, dir)
	if err != nil || trainer == nil || at.Step != 2 {
		t.Fatalf("the checkpoint is of step %d: %v", at.Step, err)
	}
	if w := must.M1(trainer.Weights())[0].Data[0]; math.Abs(float64(first-w)-2) > 1e-3 {
		t.Errorf("the weight went from %g to %g, want two steps of 1", first, w)
	}
}
