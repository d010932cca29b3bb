package experiments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/atomicfile"
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
	Only        []string // data sets and models (CheckOnly) to which tables 2 and 3 are limited; empty: all
	Overrides   []string // "key=value" changes to every training config; the report names them
	Provenance  table.Provenance
	Source      func(data.Config) (data.Source, error) // opens the sets of trainings and tests; nil: sources.Source
	Shipped     func(name string) (*train.Model, bool) // pretrained weights by name; may be nil
	Hear        func(run string) train.Listener        // progress of one run; may be nil
	Say         func(format string, args ...any)       // narration; may be nil

	plan *plan // not nil: nothing is trained or evaluated, and trainings are collected here
}

// source opens the sets that a config describes.
func (l *Lab) source(c data.Config) (data.Source, error) {
	if l.Source != nil {
		return l.Source(c)
	}
	return sources.Source(c)
}

func (l *Lab) say(format string, args ...any) {
	if l.Say != nil {
		l.Say(format, args...)
	}
}

// outcome is one evaluated model. Shipped names the pretrained weights behind it, if it is not a run of its own.
type outcome struct {
	Seed    uint64
	Steps   int
	Seconds float64
	Shipped string
	// Reference marks a result that no training stands behind.
	Reference bool
	Remark    string // how the weights were trained otherwise than the cell asks for, a footnote
	Quality   evaluation.Quality
}

// dir is the directory of a config's run.
func (l *Lab) dir(name string, c train.Config) string {
	return filepath.Join(l.Runs, fmt.Sprintf("%s-%s", name, hash(c.String())))
}

// trained trains a config, or reuses its finished run, and evaluates its best weights, or reuses that.
func (l *Lab) trained(ctx context.Context, name string, c train.Config, t evaluation.Test) (outcome, error) {
	m, result, err := l.train(ctx, name, c)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{Seed: c.Seed, Steps: result.Steps, Seconds: result.Seconds}
	o.Quality, err = l.quality(ctx, l.dir(name, c), m, t)
	if err != nil {
		return outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	l.say("%s, seed %d: %s", name, c.Seed, o.Quality)
	return o, nil
}

// train trains a config, or reuses its finished run, and returns its best weights.
func (l *Lab) train(ctx context.Context, name string, c train.Config) (*train.Model, train.Result, error) {
	dir := l.dir(name, c)
	if l.Train == TrainNever {
		if _, err := train.ReadResult(dir); err != nil {
			return nil, train.Result{}, errNotTrained
		}
	}
	if l.plan != nil {
		if _, err := train.ReadResult(dir); err != nil {
			l.plan.add(Run{fmt.Sprintf("%s, seed %d", name, c.Seed), dir, c})
		}
		return nil, train.Result{}, errNotTrained
	}
	var hear train.Listener
	if l.Hear != nil {
		hear = l.Hear(name)
	}
	l.say("%s, seed %d: %d steps in %s", name, c.Seed, c.Train.Steps, dir)
	result, err := train.Run(ctx, l.Backend, l.source, c, dir, hear)
	if err != nil {
		return nil, result, fmt.Errorf("%s: %w", name, err)
	}
	m, err := train.ReadModel(train.BestPath(dir))
	if err != nil {
		return nil, result, fmt.Errorf("%s: %w", name, err)
	}
	return m, result, nil
}

// origin is where weights come from: the folder for what is found out about them, and the name for tables.
type origin struct{ dir, name string }

// weights are those of a method for a data set.
type weights struct {
	*train.Model
	origin
}

// weights returns a method's weights for a data set: the shipped ones where they may be used, else those of seed 1.
func (l *Lab) weights(ctx context.Context, d dataset, m method) (weights, error) {
	if shipped, ok := l.shippedFor(d, m); ok {
		if l.plan != nil {
			return weights{}, errNotTrained
		}
		dir, err := l.shippedDir(shipped)
		return weights{shipped, origin{dir, shipped.Card.Name}}, err
	}
	c, err := l.overridden(l.Scale.config(d, m, m.fixedK()))
	if err != nil {
		return weights{}, err
	}
	c.Seed = 1
	name := m.run(d, m.fixedK())
	model, _, err := l.within(d, m).train(ctx, name, c)
	return weights{model, origin{l.dir(name, c), string(l.Scale)}}, err
}

// from is a value with where the weights come from that it was measured on.
type from[V any] struct {
	value V
	origin
}

// measured measures something on a method's weights for a data set, or returns what an earlier call with the same key kept.
func measured[V any](s *sheet, d dataset, m method, key any, measure func(w weights) (V, error)) (f from[V], err error) {
	w, err := s.weights(s.ctx, d, m)
	if err != nil {
		return f, err
	}
	f.origin = w.origin
	f.value, err = kept(w.dir, key, func() (V, error) { return measure(w) })
	return f, err
}

// shippedDir is the folder for what is found out about shipped weights.
func (l *Lab) shippedDir(m *train.Model) (string, error) {
	content, err := json.Marshal(m.Card)
	if err != nil {
		return "", err
	}
	return l.evaluationDir(fmt.Sprintf("shipped-%s-%s", m.Card.Name, hash(string(content))))
}

// pretrained evaluates shipped weights, or reuses that.
func (l *Lab) pretrained(ctx context.Context, m *train.Model, t evaluation.Test) (outcome, error) {
	if l.plan != nil {
		return outcome{}, errNotTrained
	}
	name := m.Card.Name
	l.say("%s: shipped weights", name)
	dir, err := l.shippedDir(m)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{Seed: m.Config.Seed, Steps: m.Card.Steps, Seconds: m.Card.Seconds, Shipped: name}
	o.Remark = remark(m, t)
	if o.Quality, err = l.quality(ctx, dir, m, t); err != nil {
		return outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	l.say("%s: %s", name, o.Quality)
	return o, nil
}

// remark says how shipped weights were trained otherwise than the test's cell asks for, or "".
func remark(m *train.Model, t evaluation.Test) string {
	var differences []string
	known := m.Config.Data
	if t.Data.FixedK > 0 && known.FixedK == 0 {
		differences = append(differences, "with free K")
	}
	if known.Mode == data.ModeInstance && known.Neighbors > 0 {
		differences = append(differences, fmt.Sprintf("with the %d nearest neighbours of a base image as positives beside its augmentations (beyond the paper; no label is read)", known.Neighbors))
	}
	if m.Config.Model == train.DAC && known.IsMixture() && !m.Config.Peer.Likelihood {
		differences = append(differences, "without the cluster likelihood in its loss")
	}
	if base := path.Base(m.Config.Train.Init); m.Config.Net.Online && strings.HasPrefix(m.Config.Train.Init, "pretrained/") {
		differences = append(differences, "from the weights of "+strings.TrimSuffix(base, ".safetensors")+", which looks ahead, without its u (from scratch it had not left the plateau after 1,000 steps)")
	}
	if len(differences) == 0 {
		return ""
	}
	return m.Card.Name + " was trained " + strings.Join(differences, " and ") + "."
}

// quality evaluates weights once and keeps the result in dir, which belongs to these weights.
func (l *Lab) quality(ctx context.Context, dir string, m *train.Model, t evaluation.Test) (evaluation.Quality, error) {
	return kept(dir, t, func() (evaluation.Quality, error) {
		source, err := l.source(t.Data)
		if err != nil {
			return evaluation.Quality{}, err
		}
		return evaluation.Model(ctx, l.Backend, m, source, t.Seed, t.Sets)
	})
}

// referenceDir is the folder for what is found out about a reference.
func (l *Lab) referenceDir(name string) (string, error) {
	if l.plan != nil {
		return "", errNotTrained
	}
	return l.evaluationDir("reference-" + name)
}

// evaluationDir makes a folder for what is found out about something that no training here stands behind.
func (l *Lab) evaluationDir(name string) (string, error) {
	dir := filepath.Join(l.Runs, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("keep an evaluation: %w", err)
	}
	return dir, nil
}

// reference evaluates a reference on the sets of a test, or reuses an earlier evaluation.
func (l *Lab) reference(ctx context.Context, r evaluation.Reference, t evaluation.Test) (outcome, error) {
	dir, err := l.referenceDir(string(r))
	if err != nil {
		return outcome{}, err
	}
	l.say("%s: %d sets", r, t.Sets)
	q, err := kept(dir, t, func() (evaluation.Quality, error) { return r.Quality(ctx, t) })
	return outcome{Reference: true, Quality: q}, err
}

// within returns the lab as it is for a cell: a small table is made of what is there, so the long trainings, of GFNCP from
// scratch, of the peers and of the online mode, are forbidden unless --train always asks for them. Those on features are short.
func (l *Lab) within(d dataset, m method) *Lab {
	long := !d.Features && (m == coldGFNCP || m.Online || !evaluation.HasEnergies(m.Model))
	if !long || l.Scale != Small || l.Train != TrainMissing {
		return l
	}
	quiet := *l
	quiet.Train = TrainNever
	return &quiet
}

// shippedFor returns the pretrained weights for a cell, if they may be used. They are not of the paper's scale, where they
// only stand in if nothing may be trained.
func (l *Lab) shippedFor(d dataset, m method) (*train.Model, bool) {
	name := m.shipped(d)
	if name == "" || l.Shipped == nil || l.Train == TrainAlways || l.Scale == Paper && l.Train != TrainNever {
		return nil, false
	}
	return l.Shipped(name)
}

// seeds runs a config under every seed. Seeds that fail are left out and reported in the error.
func (l *Lab) seeds(ctx context.Context, name string, c train.Config, t evaluation.Test) ([]outcome, error) {
	var outcomes []outcome
	var failed error
	for seed := range l.Seeds {
		c.Seed = uint64(seed + 1)
		o, err := l.trained(ctx, name, c, t)
		switch {
		case errors.Is(err, train.ErrInterrupted):
			return nil, err
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("seed %d: %w", c.Seed, err))
		default:
			outcomes = append(outcomes, o)
		}
	}
	if len(outcomes) > 0 && errors.Is(failed, errNotTrained) {
		failed = nil // some seeds are there, and the cell says how many
	}
	return outcomes, failed
}

// kept returns what an earlier call with the same key left in dir, or computes and keeps it.
func kept[K, V any](dir string, key K, compute func() (V, error)) (v V, err error) {
	text, err := json.Marshal(key)
	if err != nil {
		return v, err
	}
	path := filepath.Join(dir, "eval-"+hash(string(text))+".json")
	text, err = os.ReadFile(path)
	if err == nil && json.Unmarshal(text, &v) == nil {
		return v, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return v, fmt.Errorf("read an earlier evaluation: %w", err)
	}
	if v, err = compute(); err != nil {
		return v, err
	}
	if text, err = json.MarshalIndent(v, "", "  "); err != nil {
		return v, err
	}
	return v, atomicfile.WriteFile(path, append(text, '\n'), 0o644)
}

// overridden applies the lab's changes to a config; those of [peer] keys concern peers alone.
func (l *Lab) overridden(c train.Config) (train.Config, error) {
	var changes []string
	for _, change := range l.Overrides {
		if c.IsPeer() || !strings.HasPrefix(change, "peer.") {
			changes = append(changes, change)
		}
	}
	return c.Set(changes...)
}

// hash is a short name for a text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:5])
}
