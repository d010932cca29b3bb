package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// Trainer takes optimizer steps. Its whole state is the weights with their moments and the number of steps done;
// all randomness comes from (seed, step).
type Trainer struct {
	Config Config
	Step   int // optimizer steps done

	data      string // the fingerprint of own data
	weights   *weights
	batches   *batches
	objective Objective
	evaluator *evaluator
	optimizer *optimizer
}

// NonFiniteError stops a run whose loss or gradient is no longer a number; the last checkpoint is still good.
type NonFiniteError struct {
	Step       int
	Seed       uint64
	Loss, Norm float64
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf(
		"step %d (seed %d): loss %g with gradient norm %g is not finite; train anew with a lower "+
			"train.learning_rate, or another train.clip_norm",
		e.Step, e.Seed, e.Loss, e.Norm)
}

// Unwrap returns metrics.ErrNotFinite, the common error of numbers that are not finite.
func (e *NonFiniteError) Unwrap() error { return metrics.ErrNotFinite }

// Sources opens the source of sets that a data section describes: sources.Source, or a test's own. The validation sets
// are another stream of it (data.Config.Stream).
type Sources func(data.Config) (data.Source, error)

// New returns a trainer at step 0 with weights drawn from the config's seed, or read from Options.Init.
func New(backend compute.Backend, open Sources, c Config) (*Trainer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	weights, err := firstWeights(c)
	if err != nil {
		return nil, err
	}
	return Open(backend, open, c, weights)
}

func firstWeights(c Config) (models.Params, error) {
	if c.Train.Init == "" {
		return c.Layout().Init(data.Rand(c.Seed, "init", 0)), nil
	}
	m, err := ReadModel(c.Train.Init)
	if err != nil {
		return nil, err
	}
	if c.IsPeer() && !m.Config.IsPeer() {
		m.Params = withEncoder(c.Layout().Init(data.Rand(c.Seed, "init", 0)), m.Params)
	}
	if c.Net.Online && !m.Config.Net.Online { // it has no u; all other weights have the same shapes
		m.Params = slices.DeleteFunc(m.Params, func(w models.Param) bool { return strings.HasPrefix(w.Name, "u.") })
	}
	if err := c.Layout().Check(m.Params); err != nil {
		return nil, usererr.File(c.Train.Init, 0,
			"use the same model kind and net.* keys as the model it starts from; ST and DAC may start "+
				"from the image encoder of an energy network of the same sizes",
			"its network has other sizes than this run's (%v)", err)
	}
	return m.Params, nil
}

// withEncoder returns a peer's fresh weights with the image encoder "h.…" of an energy network as their "encoder.…". If
// the peer has no encoder of these sizes, it returns the energy network's weights.
func withEncoder(peer, energy models.Params) models.Params {
	found := false
	for i, w := range peer {
		layer, ok := strings.CutPrefix(w.Name, "encoder.")
		if !ok {
			continue
		}
		at := slices.IndexFunc(energy, func(e models.Param) bool {
			return e.Name == "h."+layer && slices.Equal(e.Shape, w.Shape)
		})
		if at < 0 {
			return energy
		}
		peer[i].Data, found = energy[at].Data, true
	}
	if !found {
		return energy
	}
	return peer
}

func newTrainer(w *weights, open Sources, c Config) (*Trainer, error) {
	source, err := open(c.Data)
	if err != nil {
		return nil, err
	}
	t := &Trainer{Config: c, data: c.fingerprint(source), weights: w}
	if t.objective, err = c.objective(t.weights); err != nil {
		return nil, err
	}
	t.batches = &batches{source: source, seed: c.Seed, steps: c.Train.Steps}
	if o, ok := t.objective.(*energyObjective); ok {
		t.batches.bring = o.bring
	}
	t.evaluator = newEvaluator(t.weights, t.objective, c.Train.Shards)
	t.optimizer = newOptimizer(t.weights, c.Train)
	return t, nil
}

// Open returns a trainer at step 0 with given weights, or an error if they do not fit the config's layout.
func Open(backend compute.Backend, open Sources, c Config, weights models.Params) (*Trainer, error) {
	if err := c.Layout().Check(weights); err != nil {
		return nil, fmt.Errorf("open a trainer: %w", err)
	}
	return newTrainer(newWeights(backend, weights), open, c)
}

// Loss returns the model's own objective on a batch, as a validation computes it: a mean over the sets. It is NaN for
// weights that have diverged.
func (t *Trainer) Loss(batch *data.Batch) (float64, error) {
	_, values, _, err := t.evaluate(context.Background(), Moment{Held: true}, batch)
	return values.Loss, err
}

// evaluate returns the task and the objective of a batch, and for training its gradient. For weights that have diverged
// the values are NaN, and there is no gradient.
func (t *Trainer) evaluate(ctx context.Context, at Moment, batch *data.Batch) (Task, Values, gradient, error) {
	task, err := t.objective.Plan(ctx, at, batch)
	if errors.Is(err, metrics.ErrNotFinite) {
		return task, Values{Loss: math.NaN(), Norm: math.NaN()}, nil, nil
	} else if err != nil {
		return task, Values{}, nil, err
	}
	values, gradient, err := t.evaluator.compute(ctx, at, task)
	return task, values, gradient, err
}

// Weights copies the current weights to the host.
func (t *Trainer) Weights() (models.Params, error) { return t.weights.onHost() }

// Advance takes one optimizer step.
func (t *Trainer) Advance() (StepReport, error) { return t.advance(context.Background()) }

// advance takes one optimizer step. The state changes only at its end; if ctx ends before, it returns the context's
// error.
func (t *Trainer) advance(ctx context.Context) (StepReport, error) {
	c := t.Config
	batch, err := t.batches.get(ctx, t.Step)
	if err != nil {
		return StepReport{}, fmt.Errorf("step %d: %w", t.Step+1, err)
	}
	task, values, gradient, err := t.evaluate(ctx, Moment{Index: t.Step}, batch)
	if err != nil {
		return StepReport{}, fmt.Errorf("step %d: %w", t.Step+1, err)
	}
	report := StepReport{
		Step: t.Step + 1, Kind: task.Kind, Loss: values.Loss, Terms: values.Parts, GradNorm: values.Norm,
		Rate: c.Train.rate(t.Step), Points: batch.N, Clusters: meanClusters(setsOf(batch)),
		Sampled: meanClusters(task.Negative),
	}
	if !metrics.IsFinite(report.Loss) || !metrics.IsFinite(report.GradNorm) {
		engine.Free(gradient...)
		return report, &NonFiniteError{report.Step, c.Seed, report.Loss, report.GradNorm}
	}
	if err := t.optimizer.apply(t.Step, gradient); err != nil {
		return StepReport{}, err
	}
	t.Step++
	return report, nil
}

func setsOf(batch *data.Batch) [][]int32 { return slices.Collect(slices.Chunk(batch.Labels, batch.N)) }

// meanClusters returns the mean number of clusters of sets, 0 without a set.
func meanClusters(sets [][]int32) float64 {
	total := 0
	for _, labels := range sets {
		total += metrics.Clusters(labels)
	}
	return float64(total) / float64(max(1, len(sets)))
}

// validation is the fixed stream of sets on which a run's weights are compared. Its negative samples use fixed
// uniforms.
type validation []*data.Batch

func newValidation(ctx context.Context, t *Trainer, open Sources) (v validation, err error) {
	c := t.Config.Data
	c.Stream = "valid"
	c.Batch = min(c.Batch, t.Config.Train.ValidSets)
	source, err := open(c)
	if err != nil {
		return nil, err
	}
	for sets := 0; sets < t.Config.Train.ValidSets; sets += c.Batch {
		batch, err := beside.Do(ctx, func() (*data.Batch, error) { return source.Batch(t.Config.Seed, len(v)) })
		if err != nil {
			return nil, err
		}
		v = append(v, batch)
	}
	return v, nil
}

// score evaluates the current weights by the model's own objective. A loss that is not finite counts as infinite, and
// weights that have diverged find no clusters. It returns the error of ctx once that has ended. The caller sets Best.
func (v validation) score(ctx context.Context, t *Trainer) (Validation, error) {
	r := Validation{Step: t.Step}
	for i, batch := range v {
		_, values, _, err := t.evaluate(ctx, Moment{i, true}, batch)
		if err != nil {
			return r, err
		}
		found, err := t.objective.Cluster(ctx, i, batch)
		if err != nil && !errors.Is(err, metrics.ErrNotFinite) {
			return r, err
		}
		nmi, share := 0.0, 1/float64(len(v))
		for b, labels := range found {
			_, truth := batch.Set(b)
			one, err := metrics.NMI(truth, labels)
			if err != nil {
				return r, err
			}
			nmi += one / float64(batch.B)
		}
		r.Loss += values.Loss * share
		r.NMI += nmi * share
		r.Found += meanClusters(found) * share
		r.Truth += meanClusters(setsOf(batch)) * share
	}
	if !metrics.IsFinite(r.Loss) {
		r.Loss = math.MaxFloat64
	}
	return r, nil
}
