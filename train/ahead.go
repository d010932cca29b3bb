package train

import (
	"sync"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/sampling"
)

// A device's compiler takes seconds for a program and can work on several at once. The gradients of all sizes of sets
// are compiled at the start of a run, while its first steps are taken.

// compileAhead begins to compile the gradients that a run will need, in the background; wait waits for them. A fault is
// left to the step that meets it.
func (t *Trainer) compileAhead() (wait func()) {
	var wg sync.WaitGroup
	o, ok := t.objective.(*energyObjective)
	if !ok {
		return wg.Wait
	}
	if _, ok := o.tables.(deviceTables); !ok {
		return wg.Wait
	}
	for _, task := range o.expectedTasks(t.Step) {
		p, err := t.evaluator.program(programKey{task.Kind, false})
		if err != nil {
			continue
		}
		inputs, err := o.argumentShapes(task)
		if err != nil {
			continue
		}
		wg.Go(func() { _ = p.run.Compile(inputs...) })
	}
	return wg.Wait
}

// expectedTasks lists one task for each size of shards that a run meets from a step on. Only the shapes of the tasks
// count.
func (o *energyObjective) expectedTasks(step int) (tasks []Task) {
	c, seen := o.config, map[[2]int]bool{}
	parts := shards(o.devices, c.Data.Batch)
	for n := max(c.Data.NMin, 2); n <= c.Data.NMax; n++ {
		for part := range parts {
			from, to := bounds(part, parts, c.Data.Batch)
			size := [2]int{to - from, o.buckets.Points(n)}
			if seen[size] {
				continue
			}
			seen[size] = true
			if task, ok := o.taskOfSize(to-from, n, step); ok {
				tasks = append(tasks, task)
			}
		}
	}
	return tasks
}

// taskOfSize returns a task of B sets of N points. ok tells whether its shapes are known before it is met.
func (o *energyObjective) taskOfSize(b, n, step int) (task Task, ok bool) {
	c := o.config
	task = Task{Kind: losses.DataStep, Batch: &data.Batch{B: b, N: n, D: c.Data.Dim, Labels: make([]int32, b*n)}}
	switch {
	case c.Model == NCP:
		task.Kind = losses.LikelihoodStep
	case step < c.Train.WarmupSteps:
		task.Kind = losses.WarmupStep
	case o.samples():
		if !sampling.StaysOnDevice(o.net, b, n) {
			return task, false
		}
		task.Drawn = []*sampling.Drawn{sampling.BlankDrawn(o.net, b, n)}
	}
	return task, true
}

// argumentShapes returns the shapes of the arguments of a task's gradient.
func (o *energyObjective) argumentShapes(task Task) ([]shapes.Shape, error) {
	batch := task.Batch
	batch.X = make([]float32, batch.B*batch.N*batch.D)
	in, err := o.Inputs(Moment{}, 0, task)
	if err != nil {
		return nil, err
	}
	defer engine.Free(in...)
	share := tensors.FromScalar(float32(0))
	all := []shapes.Shape{share.Shape()}
	for _, p := range o.Layout() {
		all = append(all, shapes.Make(dtypes.Float32, p.Shape...))
	}
	for i, t := range in {
		shape := t.Shape().Clone()
		if padding := o.devicePadding(); i == 0 && padding != nil {
			shape.Dimensions[1] = padding(batch)
		}
		all = append(all, shape)
	}
	return all, nil
}
