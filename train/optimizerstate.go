package train

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/models"
)

// stepsDone is the path of the variable in which GoMLX counts the optimizer's steps.
const stepsDone = "/global_step"

// variable is a variable of the optimizer in a store.
type variable struct {
	path  string
	shape shapes.Shape
}

// optimizerState lists the variables that the store holds beside the weights after a step of Adam, in no order: the
// moments of each weight, the counters and the last rate.
func optimizerState(layout models.Params) []variable {
	state := []variable{
		{stepsDone, shapes.Make(dtypes.Int64)},
		{"/AdamOptimizer/step", shapes.Make(dtypes.Float32)},
		{"/optimizers/learning_rate", shapes.Make(dtypes.Float32)},
	}
	for _, w := range layout {
		for _, moment := range []string{"_1st_moment", "_2nd_moment"} {
			path := "/AdamOptimizer/" + w.Name + moment
			state = append(state, variable{path, shapes.Make(dtypes.Float32, w.Shape...)})
		}
	}
	return state
}

// beginOptimizer puts the state before the first step into a store that has none: zeros. Adam would make them by a
// program of its own, which an accelerator compiles.
func beginOptimizer(store *model.Store, layout models.Params) error {
	if store.GetVariable(stepsDone) != nil {
		return nil
	}
	for _, v := range optimizerState(layout) {
		if err := engine.AddVariable(store, v.path, tensors.FromShape(v.shape), false); err != nil {
			return err
		}
	}
	return nil
}

// restoreOptimizer restores everything but the weights as it was after a number of steps, not trainable. All of it must
// be there and nothing else; before the first step there is nothing.
func restoreOptimizer(store *model.Store, file *safetensors.File, layout models.Params, step int) error {
	var state []variable
	if step > 0 {
		state = optimizerState(layout)
	}
	for _, want := range state {
		value, err := readState(file, want, step)
		if err != nil {
			return err
		}
		if err := engine.AddVariable(store, want.path, value, false); err != nil {
			return err
		}
	}
	for _, t := range file.Tensors {
		path, ok := strings.CutPrefix(t.Name, optimizerPrefix)
		if ok && !slices.ContainsFunc(state, func(v variable) bool { return v.path == path }) {
			return fmt.Errorf("its optimizer has the unknown variable %s", path)
		}
	}
	return nil
}

// readState reads a variable of the optimizer after a number of steps.
func readState(file *safetensors.File, want variable, step int) (value *tensors.Tensor, err error) {
	t, ok := file.Tensor(optimizerPrefix + want.path)
	if !ok {
		return nil, fmt.Errorf("it lacks %s of the optimizer", want.path)
	}
	if dtype := stateTypes[want.shape.DType]; t.DType != dtype || !slices.Equal(t.Shape, want.shape.Dimensions) {
		return nil, fmt.Errorf("%s of the optimizer is %s%v instead of %s%v",
			want.path, t.DType, t.Shape, dtype, want.shape.Dimensions)
	}
	if want.path == stepsDone {
		if done := binary.LittleEndian.Uint64(t.Data); done != uint64(step) {
			return nil, fmt.Errorf("its optimizer has taken %d steps, but its progress says %d", done, step)
		}
	}
	err = engine.Try(func() error {
		value = tensors.FromShape(want.shape)
		return value.MutableBytes(func(data []byte) { copy(data, t.Data) })
	})
	return value, err
}
