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
	device, err := newDeviceRenderer(w.backend, source, t.objective)
	if err != nil {
		return nil, err
	}
	t.batches = &batches{source: source, seed: c.Seed, steps: c.Train.Steps, device: device}
	if t.evaluator, err = newEvaluator(t.weights, t.objective, c.Train.Shards); err != nil {
		return nil, err
	}
	t.optimizer, err = newOptimizer(t.weights, c.Train)
	return t, err
}

// Open returns a trainer at step 0 with given weights, or an error if they do not fit the config's layout.
func Open(backend compute.Backend, open Sources, c Config, weights models.Params) (*Trainer, error) {
	if err := c.Layout().Check(weights); err != nil {
		return nil, fmt.Errorf("open a trainer: %w", err)
	}
	return newTrainer(newWeights(backend, weights), open, c)
}

// Loss returns the model's own objective on a batch, as a validation computes it: a mean over the sets.
func (t *Trainer) Loss(batch *data.Batch) (float64, error) {
	return t.heldLoss(context.Background(), 0, batch)
}

// heldLoss returns the objective on the i-th validation batch. It is NaN for weights that have diverged.
func (t *Trainer) heldLoss(ctx context.Context, i int, batch *data.Batch) (float64, error) {
	at := Moment{i, true}
	task, err := t.objective.Plan(ctx, at, batch)
	if errors.Is(err, metrics.ErrNotFinite) {
		return math.NaN(), nil
	} else if err != nil {
		return 0, err
	}
	values, _, err := t.evaluator.compute(ctx, at, task)
	return values.Loss, err
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
	report := StepReport{Step: t.Step + 1, Rate: c.Train.rate(t.Step), Points: batch.N, Clusters: meanClusters(batch)}
	grads, err := t.gradient(ctx, batch, &report)
	if err != nil {
		return StepReport{}, fmt.Errorf("step %d: %w", t.Step+1, err)
	}
	if !metrics.IsFinite(report.Loss) || !metrics.IsFinite(report.GradNorm) {
		grads.free()
		return report, &NonFiniteError{report.Step, c.Seed, report.Loss, report.GradNorm}
	}
	if err := t.optimizer.apply(t.Step, grads); err != nil {
		return StepReport{}, err
	}
	t.Step++
	return report, nil
}

// gradient returns the gradient of the step's objective, and reports its values and norm.
func (t *Trainer) gradient(ctx context.Context, batch *data.Batch, report *StepReport) (*gradient, error) {
	at := Moment{Index: t.Step}
	task, err := t.objective.Plan(ctx, at, batch)
	if errors.Is(err, metrics.ErrNotFinite) {
		return nil, &NonFiniteError{report.Step, t.Config.Seed, math.NaN(), math.NaN()}
	} else if err != nil {
		return nil, err
	}
	report.Kind = task.Kind
	report.Sampled = task.sampled()
	values, grads, err := t.evaluator.compute(ctx, at, task)
	if err != nil {
		return nil, err
	}
	report.Loss, report.Terms, report.GradNorm = values.Loss, values.Parts, values.Norm
	return grads, nil
}

func meanClusters(batch *data.Batch) float64 {
	return meanClusterCount(slices.Collect(slices.Chunk(batch.Labels, batch.N)))
}

func meanClusterCount(sets [][]int32) float64 {
	total := 0
	for _, labels := range sets {
		total += metrics.Clusters(labels)
	}
	return float64(total) / float64(len(sets))
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

// score evaluates the current weights by the model's own objective. A loss that is not finite counts as infinite. It
// returns the error of ctx once that has ended. The caller sets Best.
func (v validation) score(ctx context.Context, t *Trainer) (Validation, error) {
	r := Validation{Step: t.Step}
	for i, batch := range v {
		loss, err := t.heldLoss(ctx, i, batch)
		if err != nil {
			return r, err
		}
		nmi, found, err := agreement(ctx, t.objective, i, batch)
		if err != nil {
			return r, err
		}
		share := 1 / float64(len(v))
		r.Loss += loss * share
		r.NMI += nmi * share
		r.Found += found * share
		r.Truth += meanClusters(batch) * share
	}
	if !metrics.IsFinite(r.Loss) {
		r.Loss = math.MaxFloat64
	}
	return r, nil
}

// agreement clusters a batch. It returns the mean NMI with the true labels and the mean number of clusters found; both
// are 0 for weights that have diverged.
func agreement(ctx context.Context, o Objective, i int, batch *data.Batch) (nmi, found float64, err error) {
	labels, err := o.Cluster(ctx, i, batch)
	if errors.Is(err, metrics.ErrNotFinite) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	for b, found := range labels {
		_, truth := batch.Set(b)
		one, err := metrics.NMI(truth, found)
		if err != nil {
			return 0, 0, err
		}
		nmi += one / float64(batch.B)
	}
	return nmi, meanClusterCount(labels), nil
}
