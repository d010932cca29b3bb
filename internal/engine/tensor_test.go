package engine

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/janpfeifer/must"
)

const rngPath = "/" + model.RNGStateVariableName

func bitsOf(store *model.Store, path string) []byte {
	value := must.M1(store.GetVariable(path).Value())
	var raw []byte
	must.M(value.ConstBytes(func(data []byte) { raw = bytes.Clone(data) }))
	return raw
}

// Trap 3: an optimizer step changes what AddVariable marked as trained and nothing else, although the loss depends on
// the counter too and the graph uses the RNG state.
func TestAddVariableKeepsStateOutOfTraining(t *testing.T) {
	store := model.NewStore()
	must.M(AddVariable(store, "/w", matrix([]float32{1, 2, 3}, 3), true))
	must.M(AddVariable(store, "/counter", tensors.FromScalar(float32(0.1)), false))
	must.M(AddVariable(store, rngPath,
		tensors.FromFlatDataAndDimensions([]uint64{math.MaxUint64, 7, 1 << 63}, 3), false))
	for path, want := range map[string]bool{"/w": true, "/counter": false, rngPath: false} {
		if v := store.GetVariable(path); v.Trainable != want {
			t.Errorf("%s: trainable = %v, want %v", path, v.Trainable, want)
		}
	}
	before := map[string][]byte{}
	for _, path := range []string{"/w", "/counter", rngPath} {
		before[path] = bitsOf(store, path)
	}
	adam := optimizer.Adam().LearningRate(0.25).Done()
	step := must.M1(model.NewExec(goTestBackend(), store, func(scope *model.Scope, x *graph.Node) *graph.Node {
		value := func(path string) *graph.Node { return scope.Store().GetVariable(path).NodeValue(x.Graph()) }
		noise := graph.ConvertDType(graph.ReduceAllSum(value(rngPath)), dtypes.Float32)
		loss := graph.ReduceAllSum(graph.Square(graph.Sub(value("/w"), graph.Mul(value("/counter"), x))))
		loss = graph.Add(loss, graph.Mul(noise, graph.ScalarZero(x.Graph(), dtypes.Float32)))
		adam.UpdateGraph(scope, x.Graph(), loss)
		return loss
	}))
	for range 3 {
		must.M1(step.Call(matrix([]float32{1, 1, 1}, 3)))
	}
	for _, path := range []string{"/counter", rngPath} {
		if after := bitsOf(store, path); !bytes.Equal(after, before[path]) {
			t.Errorf("%s was trained: % x, want % x", path, after, before[path])
		}
	}
	if bytes.Equal(bitsOf(store, "/w"), before["/w"]) {
		t.Error("/w was not trained")
	}
	for v := range store.IterVariables() {
		if strings.Contains(v.Path(), "moment") && !strings.Contains(v.Path(), "/w_") {
			t.Errorf("the optimizer keeps a moment of untrained state: %s", v.Path())
		}
	}
}

func TestAddVariableRefusesDuplicates(t *testing.T) {
	store := model.NewStore()
	must.M(AddVariable(store, "/w", matrix([]float32{1, 2}, 2), true))
	for _, path := range []string{"/w", "w"} {
		err := AddVariable(store, path, matrix([]float32{3, 4}, 2), false)
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("second %q: %v, want an error that names it", path, err)
		}
	}
	if got := must.M1(Float32s(must.M1(store.GetVariable("/w").Value()))); !slices.Equal(got, []float32{1, 2}) {
		t.Errorf("the refused value was stored: %v", got)
	}
	if !store.GetVariable("/w").Trainable {
		t.Error("the refused status was stored")
	}
	if err := AddVariable(store, "/nil", nil, true); err == nil {
		t.Error("no value: no error")
	}
}

func TestTensorsToTheHost(t *testing.T) {
	values := []float32{1, -2, 0.5, float32(math.Inf(1)), 3, 4}
	tensor := matrix(values, 2, 3)
	if got := must.M1(Float32s(tensor)); !slices.Equal(got, values) {
		t.Errorf("Float32s = %v, want %v", got, values)
	}
	buffer := make([]float32, 8)
	buffer[6] = 9
	got := must.M1(ReadInto(buffer, tensor))
	if !slices.Equal(got, values) || &got[0] != &buffer[0] || buffer[6] != 9 {
		t.Errorf("ReadInto = %v in buffer %v, want %v and the rest untouched", got, buffer, values)
	}
	integers := tensors.FromFlatDataAndDimensions([]int32{1}, 1)
	if _, err := Float32s(integers); err == nil || !strings.Contains(err.Error(), "Int32") {
		t.Errorf("Float32s of integers: %v", err)
	}
	if _, err := ReadInto(buffer, integers); err == nil || !strings.Contains(err.Error(), "Int32") {
		t.Errorf("ReadInto of integers: %v", err)
	}
	Free(tensor, nil, tensor) // nil and twice are harmless
	if _, err := Float32s(tensor); err == nil {
		t.Error("a freed tensor was read")
	}
	if _, err := ReadInto(buffer, tensor); err == nil {
		t.Error("a freed tensor was read")
	}
}
