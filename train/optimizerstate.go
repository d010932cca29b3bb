package train

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/models"
)

// stepsDone is the path of the variable in which GoMLX counts the optimizer's steps.
const stepsDone = "/global_step"

// optimizerState lists what the store holds beside the weights after a step of Adam, without values and in no order:
// the moments of each weight, the counters and the last rate.
func optimizerState(layout models.Params) []safetensors.Tensor {
	state := []safetensors.Tensor{
		{Name: stepsDone, DType: "I64"},
		{Name: "/AdamOptimizer/step", DType: "F32"},
		{Name: "/optimizers/learning_rate", DType: "F32"},
	}
	for _, w := range layout {
		for _, moment := range []string{"_1st_moment", "_2nd_moment"} {
			path := "/AdamOptimizer/" + w.Name + moment
			state = append(state, safetensors.Tensor{Name: path, DType: "F32", Shape: w.Shape})
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
		for dtype, name := range safetensorsTypes {
			if name != v.DType {
				continue
			}
			zeros := tensors.FromShape(shapes.Make(dtype, v.Shape...))
			if err := engine.AddVariable(store, v.Name, zeros, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// restoreOptimizer restores everything but the weights as it was after a number of steps, not trainable. All of it must
// be there and nothing else; before the first step there is nothing.
func restoreOptimizer(store *model.Store, file *safetensors.File, layout models.Params, step int) error {
	var state []safetensors.Tensor
	if step > 0 {
		state = optimizerState(layout)
	}
	for _, want := range state {
		value, err := readState(file, want, step)
		if err != nil {
			return err
		}
		if err := engine.AddVariable(store, want.Name, value, false); err != nil {
			return err
		}
	}
	for _, t := range file.Tensors {
		path, ok := strings.CutPrefix(t.Name, optimizerPrefix)
		if ok && !slices.ContainsFunc(state, func(s safetensors.Tensor) bool { return s.Name == path }) {
			return fmt.Errorf("its optimizer has the unknown variable %s", path)
		}
	}
	return nil
}

// readState reads a variable of the optimizer after a number of steps.
func readState(file *safetensors.File, want safetensors.Tensor, step int) (*tensors.Tensor, error) {
	t, ok := file.Tensor(optimizerPrefix + want.Name)
	if !ok {
		return nil, fmt.Errorf("it lacks %s of the optimizer", want.Name)
	}
	if t.DType != want.DType || !slices.Equal(t.Shape, want.Shape) {
		return nil, fmt.Errorf("%s of the optimizer is %s%v instead of %s%v",
			want.Name, t.DType, t.Shape, want.DType, want.Shape)
	}
	if want.Name == stepsDone {
		if done := binary.LittleEndian.Uint64(t.Data); done != uint64(step) {
			return nil, fmt.Errorf("its optimizer has taken %d steps, but its progress says %d", done, step)
		}
	}
	return decodeTensor(t)
}

func decodeTensor(t safetensors.Tensor) (value *tensors.Tensor, err error) {
	for dtype, name := range safetensorsTypes {
		if name != t.DType {
			continue
		}
		err = engine.Try(func() error {
			value = tensors.FromShape(shapes.Make(dtype, t.Shape...))
			return value.MutableBytes(func(data []byte) { copy(data, t.Data) })
		})
		return value, err
	}
	return nil, fmt.Errorf("tensor %s has type %s", t.Name, t.DType)
}
