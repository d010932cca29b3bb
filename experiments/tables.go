package experiments

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/gfncp/gfncp/experiments/rivals"
	"github.com/gfncp/gfncp/experiments/tablesets"
	"github.com/gfncp/gfncp/internal/interpreter"
	"github.com/gfncp/gfncp/metrics"
)

// tablesBenchmark sets a model of tables beside what people use today, on labelled sets.
type tablesBenchmark struct {
	load   func(s *sheet) ([]tablesets.Set, error) // with a footnote on what is left out
	about  string                                  // a footnote on the sets
	groups func(sets []tablesets.Set) []tablesGroup
	show   int // how many of the sets are drawn as points
}

func (b tablesBenchmark) experiment(e Experiment) Experiment {
	e.Configs, e.run = func(Scale) []NamedConfig { return nil }, b.run
	return e
}

// tablesGroup is a row of the table: some sets by their places.
type tablesGroup struct {
	name    string
	places  []int
	numbers []number[judged]
}

// judged is how a method's labels of a set agree with the given ones.
type judged struct {
	ARI, NMI float64
	K        float64 // clusters found; noise is none, but all points as noise are one
	Off      float64 // |K − true|
	Apart    float64 // ARI with each point of noise in a cluster of its own
	Seconds  float64 // of the processor
	Fault    string
}

// verdicts are those of a method, one for each set; nil where there is none. Without any, err says why.
type verdicts struct {
	name string
	of   []*judged
	own  []*tableAnswer // of a method of ours: its answers, nil where there is none
	err  error
}

var (
	agreementNumbers = []number[judged]{
		{"ARI", func(j judged) float64 { return j.ARI }},
		{"NMI", func(j judged) float64 { return j.NMI }},
		{"|K − true|", func(j judged) float64 { return j.Off }},
		{"CPU s", func(j judged) float64 { return j.Seconds }},
	}
	setNumbers  = []number[judged]{agreementNumbers[0], {"K", func(j judged) float64 { return j.K }}}
	kindNumbers = []number[judged]{agreementNumbers[0], agreementNumbers[2]}
)

// atOnce is how many scripts run side by side; one gets sets until they have theirs numbers.
const (
	atOnce = 2
	theirs = 20_000
)

// run computes the table. Without an interpreter the cells of its methods stay empty, with the remedy in a footnote.
func (b tablesBenchmark) run(s *sheet) error {
	s.Table.Spread = "standard error over sets"
	if s.plan != nil {
		return nil
	}
	sets, err := b.load(s)
	if err != nil {
		return err
	}
	for i := range sets {
		if sets[i], err = sets[i].Standardized(); err != nil {
			return err
		}
	}
	all, versions, err := s.rivals(sets)
	if err != nil {
		return err
	}
	ours := []verdicts{s.mixtureTables(sets)}
	if s.Tables != nil {
		ours = append(ours, s.ownTables(sets))
	}
	s.tablesCells(b.groups(sets), slices.Concat(all, ours))
	s.profile(sets, slices.Concat(ours, all))
	if b.show > 0 {
		s.contactSheet(sets[:min(b.show, len(sets))])
	}
	s.tablesNotes(b.about, versions, all)
	return nil
}

// rivals judges all rivals on standardized sets, several at once.
func (s *sheet) rivals(sets []tablesets.Set) (all []verdicts, versions []string, err error) {
	for _, r := range rivals.All {
		all = append(all, verdicts{name: r.Name, of: make([]*judged, len(sets))})
	}
	for _, script := range []*rivals.Script{rivals.R, rivals.Python} {
		answers, err := s.answers(script, sets)
		for i, r := range rivals.All {
			if r.Script != script {
				continue
			}
			if all[i].err = err; err == nil {
				err = all[i].judge(r, sets, answers.Results)
			}
		}
		var missing *interpreter.MissingError
		switch {
		case errors.As(err, &missing):
			s.note("Not computed: %v. On Debian: apt-get install %s.", missing, script.Install)
		case err != nil && s.ctx.Err() != nil:
			return nil, nil, err
		case err != nil:
			s.fault(script.Language.Name, err)
		case len(sets) > 0:
			versions = append(versions, answers.Versions)
		}
	}
	return all, versions, nil
}

func (v *verdicts) judge(r rivals.Rival, sets []tablesets.Set, results []map[string]rivals.Answer) error {
	for i, set := range sets {
		answer := results[i][r.ID]
		j, err := judge(set.Labels, answer.Labels)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", r.Name, set.Name, err)
		}
		j.Seconds, j.Fault = answer.Seconds, answer.Fault
		v.of[i] = j
	}
	return nil
}

// judge compares labels, in which rivals.Noise is noise, with the given ones: noise is one cluster, and not counted.
func judge(truth, labels []int32) (*judged, error) {
	j := &judged{K: float64(metrics.Clusters(labels))}
	apart := slices.Clone(labels)
	if slices.Contains(labels, rivals.Noise) {
		j.K = max(j.K-1, 1)
		next := slices.Max(labels) + 1
		for i, c := range apart {
			if c == rivals.Noise {
				apart[i] = next
				next++
			}
		}
	}
	j.Off = math.Abs(j.K - float64(metrics.Clusters(truth)))
	var errs [3]error
	j.ARI, errs[0] = metrics.ARI(truth, labels)
	j.NMI, errs[1] = metrics.NMI(truth, labels)
	j.Apart, errs[2] = metrics.ARI(truth, apart)
	return j, errors.Join(errs[:]...)
}

// answers runs a script on sets, a few at a time, or returns what an earlier call kept.
func (s *sheet) answers(script *rivals.Script, sets []tablesets.Set) (all rivals.Answers, err error) {
	dir, err := s.tablesDir()
	if err != nil {
		return all, err
	}
	chunks := tableChunks(sets)
	parts := make([]rivals.Answers, len(chunks))
	var done atomic.Int64
	group, ctx := errgroup.WithContext(s.ctx)
	group.SetLimit(atOnce)
	for i, chunk := range chunks {
		group.Go(func() (err error) {
			run := func() (rivals.Answers, error) { return script.Run(ctx, chunk) }
			if parts[i], err = kept(dir, script.Key(chunk), run); err != nil {
				return err
			}
			s.say("rivals in %s: %d of %d sets", script.Language.Name, done.Add(int64(len(chunk))), len(sets))
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return all, err
	}
	for _, part := range parts {
		all.Versions = part.Versions
		all.Results = append(all.Results, part.Results...)
	}
	return all, nil
}

// tableChunks cuts sets into runs of about as many numbers.
func tableChunks(sets []tablesets.Set) (chunks [][]tablesets.Set) {
	first, numbers := 0, 0
	for i, set := range sets {
		if numbers += len(set.X); numbers >= theirs || i == len(sets)-1 {
			chunks = append(chunks, sets[first:i+1])
			first, numbers = i+1, 0
		}
	}
	return chunks
}

// tablesDir is where sets and answers are kept.
func (s *sheet) tablesDir() (string, error) {
	dir := filepath.Join(s.Runs, "tables")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("keep sets and answers: %w", err)
	}
	return dir, nil
}
