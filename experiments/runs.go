package experiments

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// Lab is where experiments run: the backend, the directory that keeps their runs, and the amount of work.
type Lab struct {
	Backend     compute.Backend
	BackendName string // short name for tables, e.g. "go"
	Runs        string // directory of the runs and evaluations; they are reused by hash and resumed when interrupted
	Scale       Scale
	Seeds       int      // seeds 1..Seeds
	Train       Training // which cells may be trained
	Only        []string // patterns of path.Match for names of runs (CheckOnly) to which tables are limited; empty: all
	Overrides   []string // "key=value" changes to every training config; the report names them
	Provenance  table.Provenance
	Shipped     func(name string) (*train.Model, bool) // pretrained weights by name; may be nil
	Hear        func(run string) train.Listener        // progress of one run; may be nil
	Say         func(format string, args ...any)       // narration; may be nil
}

func (l *Lab) say(format string, args ...any) {
	if l.Say != nil {
		l.Say(format, args...)
	}
}

// weights are the weights of a method with their origin.
type weights struct {
	*train.Model          // nil for a reference, which is not trained
	dir          string   // for cached results about them
	name         string   // for tables: the scale of a run, or the name of shipped weights
	sums         []string // the SHA-256 of the weights; nil for a reference
	shipped      bool
	seed         uint64
	steps        int
	seconds      float64
}

// outcome holds the scores of weights.
type outcome struct {
	weights
	sets    int               // on which quality was measured
	scores  evaluation.Scores // of its quality, with publishedMC for a model with energies, and ablationScores
	trained string            // how the training differs from the paper's (deviations)
}

func (l *Lab) dir(name string, c train.Config) string {
	return filepath.Join(l.Runs, fmt.Sprintf("%s-%s", name, cached.Hash(c.String())))
}

// train trains a config in a directory, or reuses its run, and returns its best weights. Name is for the listener.
func (l *Lab) train(ctx context.Context, dir, name string, c train.Config) (m *train.Model, r train.Result, err error) {
	var hear train.Listener
	if l.Hear != nil {
		hear = l.Hear(name)
	}
	if r, err = train.Run(ctx, l.Backend, sources.Source, c, dir, hear); err != nil {
		return nil, r, err
	}
	m, err = train.ReadModel(train.BestPath(dir))
	return m, r, err
}

// trained returns the best weights of a config's run. It trains the run if the lab allows that.
func (l *Lab) trained(ctx context.Context, name string, c train.Config) (w weights, err error) {
	w = weights{dir: l.dir(name, c), name: string(l.Scale), seed: c.Seed}
	if l.Train == TrainNever && !l.finished(name, c) {
		return w, errNotTrained
	}
	l.say("%s, seed %d: %d steps in %s", name, c.Seed, c.Train.Steps, w.dir)
	model, result, err := l.train(ctx, w.dir, name, c)
	if err != nil {
		return w, fmt.Errorf("%s: %w", name, err)
	}
	w.Model, w.steps, w.seconds = model, result.Steps, result.Seconds
	w.sums = []string{model.Params.SHA256()}
	return w, nil
}

// seeds trains and evaluates a config under every seed. Seeds that fail are left out, and have an error each. After an
// interruption there is that error alone.
func (l *Lab) seeds(
	ctx context.Context, name string, c train.Config, t evaluation.Test,
) (all []outcome, failed []error) {
	for seed := range l.Seeds {
		c.Seed = uint64(seed + 1)
		o := outcome{}
		w, err := l.trained(ctx, name, c)
		if err == nil {
			o, err = l.evaluate(ctx, name, w, t)
		}
		switch {
		case err == nil:
			all = append(all, o)
		case errors.Is(err, train.ErrInterrupted):
			return nil, []error{err}
		default:
			failed = append(failed, fmt.Errorf("seed %d: %w", c.Seed, err))
		}
	}
	if len(all) > 0 { // some seeds are there, and the cell says how many
		failed = slices.DeleteFunc(failed, func(err error) bool { return errors.Is(err, errNotTrained) })
	}
	return all, failed
}

// cell returns how a cell is trained: the name of its runs, its config with the lab's overrides and seed 1, and the lab
// for the cell. At scale small, long trainings need --train always: GFNCP from scratch, free flows, walks, peers and
// the online mode, except on features. At scale night all trainings need it.
func (l *Lab) cell(d dataset, m method, fixedK int) (name string, c train.Config, within *Lab, err error) {
	own := *l
	long := !d.Features && (m.usesPaperObjective() || m.hasWalks() || m.Online || !evaluation.HasEnergies(m.Model))
	if (long && l.Scale == Small || l.Scale == Night) && l.Train == TrainMissing {
		own.Train = TrainNever
	}
	c, err = l.overridden(l.Scale.config(d, m, fixedK))
	c.Seed = 1
	return m.run(d, fixedK), c, &own, err
}

// ready returns the weights of a cell that need no training: a reference's folder or shipped weights.
func (l *Lab) ready(d dataset, m method, fixedK int) (w weights, ok bool, err error) {
	folder := "reference-" + cmp.Or(string(m.Reference), m.Name)
	if m.Model != "" {
		shipped, ok := l.shipped(d, m, fixedK)
		if !ok {
			return w, false, nil
		}
		card := shipped.Card
		w = weights{Model: shipped, name: card.Name, shipped: true, seed: shipped.Config.Seed}
		w.steps, w.seconds, w.sums = card.Steps, card.Seconds, []string{shipped.Params.SHA256()}
		content, err := json.Marshal(card)
		if err != nil {
			return w, true, err
		}
		folder = fmt.Sprintf("shipped-%s-%s", card.Name, cached.Hash(string(content)))
	}
	w.dir = filepath.Join(l.Runs, folder)
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return w, true, fmt.Errorf("keep an evaluation: %w", err)
	}
	return w, true, nil
}

// shipped returns the shipped weights that may replace a cell's training. At paper scale it does so only if nothing may
// be trained, and at scale night until the cell's run is finished.
func (l *Lab) shipped(d dataset, m method, fixedK int) (*train.Model, bool) {
	if l.Shipped == nil || l.Train == TrainAlways || l.Scale == Paper && l.Train != TrainNever {
		return nil, false
	}
	model, ok := l.Shipped(m.run(d, fixedK))
	if !ok {
		model, ok = l.Shipped(m.run(d, 0)) // trained with free K
	}
	if !ok || l.Scale != Night {
		return model, ok
	}
	run, c, _, err := l.cell(d, m, fixedK)
	return model, err == nil && !l.finished(run, c)
}

// finished reports whether a config's run is done.
func (l *Lab) finished(run string, c train.Config) bool {
	_, err := train.ReadResult(l.dir(run, c))
	return err == nil
}

// weights returns a method's weights for a data set: ready ones (see ready), else the weights of seed 1.
func (l *Lab) weights(ctx context.Context, d dataset, m method) (weights, error) {
	if w, ok, err := l.ready(d, m, m.fixedK()); ok {
		return w, err
	}
	name, c, within, err := l.cell(d, m, m.fixedK())
	if err != nil {
		return weights{}, err
	}
	return within.trained(ctx, name, c)
}

// quality evaluates weights once and keeps the result in dir, which belongs to these weights.
func (l *Lab) quality(ctx context.Context, dir string, m *train.Model, t evaluation.Test) (evaluation.Quality, error) {
	return cached.Value(dir, t, func() (evaluation.Quality, error) {
		source, err := sources.Source(t.Data)
		if err != nil {
			return evaluation.Quality{}, err
		}
		return evaluation.Model(ctx, l.Backend, m, source, t.Seed, t.Sets)
	})
}

// CheckOverrides returns an error if no training of the experiments can be changed by the lab's overrides.
func (l *Lab) CheckOverrides(chosen []Experiment) (fault error) {
	for _, e := range chosen {
		for _, named := range e.Configs(l.Scale) {
			c, err := l.overridden(named.Config)
			if err == nil {
				err = cmp.Or(c.Validate(), c.CheckKeys(named.Config, train.Keys()...))
			}
			if err == nil {
				return nil
			}
			fault = cmp.Or(fault, err)
		}
	}
	return fault
}

// overridden applies the lab's changes to a config; changes of [peer] keys apply only to peers. A warm start lasts for
// half of the steps, unless the changes set it.
func (l *Lab) overridden(c train.Config) (changed train.Config, err error) {
	var changes []string
	warm := c.Train.WarmupSteps > 0
	for _, change := range l.Overrides {
		warm = warm && !strings.HasPrefix(change, "train.warmup_steps=")
		if c.IsPeer() || !strings.HasPrefix(change, "peer.") {
			changes = append(changes, change)
		}
	}
	if changed, err = c.Set(changes...); err == nil && warm {
		changed = changed.HalfWarm()
	}
	return changed, err
}

// evaluate scores weights on a test, and weights with energies also by the published code's MC. Name is for people.
func (l *Lab) evaluate(ctx context.Context, name string, w weights, t evaluation.Test) (o outcome, err error) {
	q, err := l.quality(ctx, w.dir, w.Model, t)
	if err != nil {
		return o, fmt.Errorf("%s: %w", name, err)
	}
	l.say("%s, seed %d: %s", name, w.seed, q)
	o = outcome{weights: w, sets: q.Sets, scores: q.Scores()}
	if w.Config.IsPeer() {
		return o, nil
	}
	t = publishedTest(t)
	o.scores[publishedMC], err = cached.Value(w.dir, publishedKey(t), func() (float64, error) {
		r, err := l.reader(w, t.Data)
		if err != nil {
			return 0, err
		}
		return evaluation.PublishedMC(ctx, r.Net, r.Source, t.Seed, t.Sets)
	})
	return o, err
}

// publishedTest returns the test for the published code's MC.
func publishedTest(t evaluation.Test) evaluation.Test {
	t.Data.Shared, t.Data.Batch = true, publishedBatch
	t.Sets = min(t.Sets, publishedSets)
	return t
}

// publishedKey is the key of the published code's MC among the cached results of weights.
func publishedKey(t evaluation.Test) any { return map[string]evaluation.Test{"published_mc": t} }

// The published code's MC: its number of sets, and the number of sets in a batch, which share a labelling.
const (
	publishedSets  = 64
	publishedBatch = 8
)
