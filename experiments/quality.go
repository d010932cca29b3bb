package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/experiments/paper"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/losses"
)

const fromShipped = "small: from shipped weights minutes on 2 cores (table 3: two to three), with --train always " +
	"about an hour a seed; smoke: half a minute"

// shippedNote begins the footnote on weights that are not trained here.
const shippedNote = "A scale that names a model means shipped weights (`gfncp describe NAME`)"

// qualityTable scores methods by the quality of their clusterings, with K fixed or free: tables 2, 3, 4 and 6. It adds
// the table's own footnotes after its own.
func qualityTable(notes func(s *sheet)) func(s *sheet) error {
	return func(s *sheet) error {
		s.testNotes()
		notes(s)
		for _, d := range s.grid.sets() {
			built := map[method]results{}
			for _, m := range s.grid.rows(d) {
				built[m] = measure(s, d, m, func(r *results) (err error) {
					if r.value, err = s.outcomes(d, m); err == nil && m.hasPublishedRule() {
						err = s.addPublished(d, m, r.value)
					}
					return err
				})
				for i, o := range built[m].value {
					if o.Model != nil {
						built[m].value[i].trained = d.deviations(o.Config, s.grid.fixedK)
					}
				}
			}
			s.addQuality(d, built)
		}
		return nil
	}
}

func (s *sheet) outcomes(d dataset, m method) ([]outcome, error) {
	where := s.Scale.test(d, s.grid.fixedK)
	w, ok, err := s.ready(d, m, s.grid.fixedK)
	if !ok {
		name, c, within, err := s.cell(d, m, s.grid.fixedK)
		if err != nil {
			return nil, err
		}
		all, failed := within.seeds(s.ctx, name, c, where)
		return all, errors.Join(failed...)
	}
	if err != nil {
		return nil, err
	}
	if m.Reference == "" {
		o, err := s.evaluate(s.ctx, w.name, w, where)
		if err != nil {
			return nil, err
		}
		return []outcome{o}, nil
	}
	s.say("%s: %d sets", m.Reference, where.Sets)
	q, err := cached.Value(w.dir, where,
		func() (evaluation.Quality, error) { return m.Reference.Quality(s.ctx, where) })
	if err != nil {
		return nil, err
	}
	return []outcome{{weights: w, sets: q.Sets, scores: q.Scores()}}, nil
}

// byPublished is the suffix of scores by the published code's evaluation.
const byPublished = " published"

// publishedEvaluations is the number of evaluations by the published rule on a data set, 0 for a table without. A
// stand-in has none. At scale small only feature vectors have them, because their sets are small.
func (s *sheet) publishedEvaluations(d dataset) int {
	switch {
	case !s.grid.published || d.standsIn() || s.Scale == Small && !d.Features:
		return 0
	case s.Scale == Smoke:
		return 1
	default:
		return evaluation.PublishedEvaluations
	}
}

// publishedRuleKey is the key of scores by the published code's evaluation among the cached results of weights.
func publishedRuleKey(where data.Config, evaluations int) any {
	return []any{"published", where, evaluations}
}

// addPublished adds scores by the published code's evaluation to the outcomes of a method on a data set.
func (s *sheet) addPublished(d dataset, m method, all []outcome) error {
	count := s.publishedEvaluations(d)
	if count == 0 {
		return nil
	}
	name := m.run(d, s.grid.fixedK)
	where := evaluation.PublishedTest(s.Scale.test(d, s.grid.fixedK).Data)
	for _, o := range all {
		p, err := cached.Value(o.dir, publishedRuleKey(where, count), func() (p evaluation.Published, err error) {
			source, err := sources.Source(where)
			if err == nil {
				p, err = evaluation.ByPublished(s.ctx, s.Backend, o.Model, source, 1, count)
			}
			return p, err
		})
		if err != nil {
			return fmt.Errorf("published rule, seed %d: %w", o.seed, err)
		}
		s.say("%s, seed %d: by the published rule NMI %.3f, ARI %.3f", name, o.seed, p.NMI, p.ARI)
		o.scores["NMI"+byPublished], o.scores["ARI"+byPublished] = p.NMI, p.ARI
	}
	return nil
}

// publishedMC is the metric that the paper prints as MC, by the formula of the authors' published code.
const publishedMC = "MC_published"

// addQuality adds a data set's cells: the paper's metrics, NMI and ARI by the published rule where the table has them,
// and MC by the paper's formula with MC_eps and MC_last.
func (s *sheet) addQuality(d dataset, built map[method]results) {
	names := []string{"NMI", "ARI", publishedMC, "MC", "MC_eps", "MC_last"}
	evaluations := s.publishedEvaluations(d)
	if evaluations > 0 {
		names = slices.Insert(names, 2, "NMI"+byPublished, "ARI"+byPublished)
	}
	for _, name := range names {
		for _, m := range s.grid.rows(d) {
			score, isPublished := strings.CutSuffix(name, byPublished)
			needsEnergies := strings.HasPrefix(name, "MC")
			if needsEnergies && !evaluation.HasEnergies(m.Model) || isPublished && !m.hasPublishedRule() {
				continue
			}
			cell := table.Cell{Data: d.Name, Model: m.Name, Incomparable: d.standsIn()}
			if isPublished {
				cell.TestSets = evaluations * evaluation.PublishedSets
			}
			printed := map[string]string{"NMI": "NMI", "ARI": "ARI", publishedMC: "MC"}[score]
			cell.Paper = paper.Cell(s.Table.ID, d.Paper, printed, m.Paper)
			s.means(cell, built[m], name)
		}
	}
}

// testNotes adds the test sets of every data set, and explains the metrics and methods of the table.
func (s *sheet) testNotes() {
	var tests []string
	evaluations := 0
	for _, d := range s.grid.sets() {
		evaluations = max(evaluations, s.publishedEvaluations(d))
		sets, points := s.Scale.testSize(d)
		prior := fmt.Sprintf("CRP(%g)", d.Alpha)
		if s.grid.fixedK > 0 {
			prior = fmt.Sprintf("K = %d", s.grid.fixedK)
		}
		tests = append(tests, fmt.Sprintf("%s %d sets of %d points (%s)", d.Name, sets, points, prior))
	}
	s.note(`Test, with greedy decoding: %s. The paper tests on 3,000 sets of MoG and 10,000 of images, of 300 points each, and
		on 2,500 of ImageNet's features.`, strings.Join(tests, ", "))
	if !slices.ContainsFunc(s.grid.methods, func(m method) bool { return m.Model != "" }) {
		return // nothing is trained
	}
	c := losses.DefaultConfig()
	s.note(`GFNCP (paper) is trained by the paper's objective from the first step, with the parameters of the authors' newest
		published code (λ %g, δ %g); GFNCP (published) also explores, clamps and augments base images as that code does;
		GFNCP (warm start) by likelihood first, with a likelihood term kept beside the others, GFNCP (free flows) by likelihood
		with a little consistency of free flows (docs/objective.md). Extended: a network that sees more than the paper's.
		Walks: clusters of training images are walks between neighbours, their base images are not augmented. The paper prints
		one GFNCP, shown beside all.`, c.Lambda, c.Delta)
	s.note("%s, one seed; --train always trains the cell instead.", shippedNote)
	if evaluations > 0 {
		s.note(`NMI published, ARI published: the authors' published code evaluates %d sets with one partition and one order at a
			time (images: K from 3 to 10), and keeps the largest NMI and the largest ARI so far, each by itself. Here: of %d
			evaluations.`, evaluation.PublishedSets, evaluations)
	}
	s.note(`MC_published is what the authors' published code prints as MC: sets share their labelling, %d at a time, all are
		scored along the greedy labels of the first one, log-flows are clamped at log(1e-5 + exp(·)), the term n = N is left
		out, the sum divided by N; %d sets at most. MC is the paper's formula, the exact sum over n = 2..N along the true
		labels; MC_eps the mean per step of that, clamped; MC_last its term n = N alone, in which the energy's free scale
		enters.`, publishedBatch, publishedSets)
}

// trainedNote adds how cells of MoG and images are trained at a smaller scale than the paper's.
func trainedNote(s *sheet) {
	if s.Scale == Paper {
		return
	}
	c, cold := s.Scale.config(mogData, warmGFNCP, 0), s.Scale.config(mnistData, coldGFNCP, 0)
	s.note(`A cell trained at scale %s sees %d sets a step with N = %d..%d for %d steps (GFNCP (paper) on images: N = %d..%d;
		the paper: 64 sets, 100..1000, 5,000 steps); "not trained" cells need --train always.`,
		s.Scale, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, cold.Data.NMin, cold.Data.NMax)
}

func featuresNote(s *sheet) {
	c := s.Scale.config(featureSets()[0], warmGFNCP, 0)
	s.note(`Features: a cell trained at scale %s sees %d sets a step with N = %d..%d for %d steps, by instance discrimination
		(noise %g, feature dropout %g) on the first half of the classes; a class of ImageNet's validation images has 50, so sets
		have at most %d points, as in the published code.`,
		s.Scale, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, c.Data.Vectors.Noise, c.Data.Vectors.Dropout,
		c.Data.Descriptor().TestPoints)
}
