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
	"path/filepath"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/report"
	"github.com/gfncp/gfncp/train"
)

// Lab is where experiments run: the backend, the directory that keeps their runs, and the amount of work.
type Lab struct {
	Backend     compute.Backend
	BackendName string // short name for tables, e.g. "go"
	Runs        string // directory of the runs; they are reused by hash and resumed when interrupted
	Scale       Scale
	Seeds       int      // seeds 1..Seeds
	Overrides   []string // "key=value" changes to every training config; the report names them
	Provenance  report.Provenance
	Hear        func(run string) train.Listener  // progress of one run; may be nil
	Say         func(format string, args ...any) // narration; may be nil
}

func (l *Lab) say(format string, args ...any) {
	if l.Say != nil {
		l.Say(format, args...)
	}
}

// outcome is one trained and evaluated model.
type outcome struct {
	Train   train.Result `json:"train"`
	Quality Quality      `json:"quality"`
}

// test names the held-out sets of an evaluation.
type test struct {
	Data data.MoGConfig `json:"data"`
	Sets int            `json:"sets"`
	Seed uint64         `json:"seed"`
}

// outcome trains a config, or reuses its finished run, and evaluates its best weights, or reuses that.
func (l *Lab) outcome(ctx context.Context, name string, c train.Config, t test) (outcome, error) {
	dir := filepath.Join(l.Runs, fmt.Sprintf("%s-%s", name, hash(c.String())))
	var hear train.Listener
	if l.Hear != nil {
		hear = l.Hear(name)
	}
	l.say("%s, seed %d: %d steps in %s", name, c.Seed, c.Train.Steps, dir)
	result, err := train.Run(ctx, l.Backend, c, dir, hear)
	if err != nil {
		return outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	quality, err := l.quality(dir, t)
	if err != nil {
		return outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	l.say("%s, seed %d: NMI %.3f, ARI %.3f, MC %.1f on %d sets", name, c.Seed, quality.NMI, quality.ARI, quality.MC, quality.Sets)
	return outcome{result, quality}, nil
}

// quality evaluates a run's best weights once and keeps the result beside them.
func (l *Lab) quality(dir string, t test) (Quality, error) {
	var q Quality
	key, err := json.Marshal(t)
	if err != nil {
		return q, err
	}
	path := filepath.Join(dir, "eval-"+hash(string(key))+".json")
	text, err := os.ReadFile(path)
	if err == nil && json.Unmarshal(text, &q) == nil {
		return q, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return q, fmt.Errorf("read an earlier evaluation: %w", err)
	}
	m, err := train.ReadModel(train.BestPath(dir))
	if err != nil {
		return q, err
	}
	net, err := models.NewNetwork(l.Backend, m.Config.Net, m.Params)
	if err != nil {
		return q, err
	}
	source, err := data.NewMoG(t.Data)
	if err != nil {
		return q, err
	}
	if q, err = Evaluate(net, source, t.Seed, t.Sets); err != nil {
		return q, err
	}
	if text, err = json.MarshalIndent(q, "", "  "); err != nil {
		return q, err
	}
	return q, atomicfile.WriteFile(path, append(text, '\n'), 0o644)
}

// hash is a short name for a text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:5])
}
