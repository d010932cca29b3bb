package evaluation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/train"
)

// CheckSettings say how much work a check is.
type CheckSettings struct {
	Points int    // N of every set; 0: 50, or what is nearest to it in the range that the law gives N
	Sets   int    // sets of simulation-based calibration; at least 10
	Draws  int    // L, draws from the model for each of them; at least 1
	Chains int    // chains of the joint distribution test, and steps of each that count; at least 8
	Seed   uint64 // names all random choices
	// Progress, if not nil, hears how many of all model calls of a part are done.
	Progress func(part string, done, total int)
}

// DefaultCheck are settings that take minutes on two cores.
func DefaultCheck() CheckSettings { return CheckSettings{Sets: 200, Draws: 63, Chains: 64, Seed: 1} }

const (
	checkPoints = 50   // N unless another is asked for
	checkLevel  = 0.01 // probability that an exact model is found to differ in anything
)

func (s CheckSettings) validate() error {
	var faults usererr.Faults
	faults.Demand(s.Points == 0 || s.Points >= 2, "points", s.Points, "at least 2")
	faults.Demand(s.Sets >= 10, "sets", s.Sets, "at least 10")
	faults.Demand(s.Draws >= 1, "draws", s.Draws, "at least 1")
	faults.Demand(s.Chains >= 8, "chains", s.Chains, "at least 8")
	return errors.Join(faults...)
}

// points is N of every set, of those that a law draws if the settings do not say.
func (s CheckSettings) points(law data.Config) int {
	if s.Points > 0 {
		return s.Points
	}
	return min(max(checkPoints, law.NMin), law.NMax)
}

// CheckReport is what simulation-based calibration and the joint distribution test say of a posterior sampler.
type CheckReport struct {
	Points     int              `json:"points"`
	Sets       int              `json:"sets"`
	Draws      int              `json:"draws"`
	Chains     int              `json:"chains"`
	BurnIn     int              `json:"burn_in"` // steps of each chain that do not count
	Steps      int              `json:"steps"`   // steps of each chain that count
	Seed       uint64           `json:"seed"`
	Law        string           `json:"law"`   // where sets come from, in one line
	Level      float64          `json:"level"` // p below which one test finds a difference (Bonferroni)
	Statistics []CheckStatistic `json:"statistics"`
	Differ     int              `json:"differ"` // statistics of which a test finds a difference
	Notes      []string         `json:"notes,omitempty"`
}

// CheckStatistic is what the tests say of one statistic.
type CheckStatistic struct {
	Name  string  `json:"name"`
	Truth float64 `json:"truth"` // mean over the sets
	Drawn float64 `json:"drawn"` // mean over the model's draws for these sets
	// mean over the chains of the joint test, an exact model's being that of Truth
	Chains    float64 `json:"chains"`
	Histogram []int   `json:"histogram"`  // ranks of the truth among the draws, from below all to above all
	ChiSquare float64 `json:"chi_square"` // of the histogram against equal shares
	ChiP      float64 `json:"chi_square_p"`
	KS        float64 `json:"ks"` // distance of the ranks' law from the uniform one (Kolmogorov and Smirnov)
	KSP       float64 `json:"ks_p"`
	GewekeZ   float64 `json:"geweke_z"` // negative: larger in the chains than by the law; not beyond ±1000
	GewekeP   float64 `json:"geweke_p"` // two-sided, Student's t with Chains − 1 degrees of freedom
	Differs   bool    `json:"differs"`  // one of the three p is below the level
}

// CheckModel checks a trained model against the law that it was trained on. Only models of mixtures of Gaussians,
// whose law is known, and only those that draw samples can be checked: else it is a usererr.Error.
func CheckModel(ctx context.Context, backend compute.Backend, m *train.Model, s CheckSettings) (*CheckReport, error) {
	if !m.Config.Data.IsMixture() {
		return nil, usererr.New("check a model that was trained on mixtures of Gaussians (data.source = \"mog\")",
			"%s was trained on data of source %q, whose generating law is not known", m.Card.Name, m.Config.Data.Source)
	}
	if err := s.demand(m.Config); err != nil {
		return nil, err
	}
	model, err := m.Clusterer(backend)
	if err != nil {
		return nil, err
	}
	sampler, ok := model.(peers.Sampler)
	if !ok {
		return nil, usererr.New("check a gfncp, ncp or ccp model",
			"%s (%s) gives one clustering of a set and no posterior to draw from",
			m.Card.Name, strings.ToUpper(m.Config.Model))
	}
	return Check(ctx, sampler, m.Config.Data, s)
}

// Check tests whether a sampler draws from the exact posterior of the partition, given sets of points whose median
// has been subtracted, in two ways: simulation-based calibration (Cook et al. 2006, Talts et al. 2018) and the joint
// distribution test (Geweke 2004). law is where the sampler's training sets came from; its mode is taken as
// data.ModeGenerative.
//
// Both tests can only find differences. A sampler that ignores the points and draws from the prior passes the joint
// test and the calibration of every statistic of the partition alone, but not the calibration of log p(c,x).
func Check(ctx context.Context, sampler peers.Sampler, law data.Config, s CheckSettings) (*CheckReport, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	s.Points = s.points(law)
	l, err := newCheckLaw(law, s.Points)
	if err != nil {
		return nil, err
	}
	if s.Progress == nil {
		s.Progress = func(string, int, int) {}
	}
	run := checkRun{ctx: ctx, sampler: sampler, law: l, settings: s}
	ranks, err := run.calibrate()
	if err != nil {
		return nil, fmt.Errorf("simulation-based calibration: %w", err)
	}
	joint, err := run.joint()
	if err != nil {
		return nil, fmt.Errorf("joint distribution test: %w", err)
	}
	report := &CheckReport{
		Points: s.Points, Sets: s.Sets, Draws: s.Draws, Chains: s.Chains,
		BurnIn: run.burnIn(), Steps: run.steps(), Seed: s.Seed,
		Law: l.config.String(), Level: checkLevel / float64(3*len(checkStatistics)), Notes: checkNotes(law, s.Points),
	}
	for i, name := range checkStatistics {
		found, err := run.judge(ranks[i], joint[i], report.Level)
		if err != nil {
			return nil, fmt.Errorf("judge %s: %w", name, err)
		}
		found.Name = name
		if found.Differs {
			report.Differ++
		}
		report.Statistics = append(report.Statistics, found)
	}
	return report, nil
}

// checkNotes tells in what the law of the check is not the law of the training.
func checkNotes(trained data.Config, points int) (notes []string) {
	if points < trained.NMin || points > trained.NMax {
		notes = append(notes, fmt.Sprintf("the model was trained on sets of %d to %d points, not of %d",
			trained.NMin, trained.NMax, points))
	}
	if trained.Mode != data.ModeGenerative {
		notes = append(notes,
			fmt.Sprintf(
				"the model was trained in mode %q: its training sets did not come from the mixture that it is "+
					"checked on", trained.Mode,
			))
	}
	return notes
}

type checkRun struct {
	ctx      context.Context
	sampler  peers.Sampler
	law      *checkLaw
	settings CheckSettings
}

// maxZ bounds a reported z-score, which is infinite if nothing varies.
const maxZ = 1000

// judge brings what was found of one statistic together.
func (r *checkRun) judge(c calibrated, j jointed, level float64) (found CheckStatistic, err error) {
	found = CheckStatistic{Truth: c.truth, Drawn: c.drawn, Chains: stat.Mean(j.chains, nil)}
	draws, bins := r.settings.Draws, rankBins(r.settings.Sets, r.settings.Draws)
	found.Histogram = make([]int, bins)
	for _, rank := range c.ranks {
		found.Histogram[rank*bins/(draws+1)]++
	}
	if found.ChiSquare, found.ChiP, err = metrics.RankChiSquared(c.ranks, draws, bins); err != nil {
		return found, err
	}
	if found.KS, found.KSP, err = metrics.UniformKS(c.uniform); err != nil {
		return found, err
	}
	z, err := metrics.GewekeZ(j.independent, j.chains)
	if err != nil {
		return found, err
	}
	found.GewekeZ = min(maxZ, max(-maxZ, z))
	law := distuv.StudentsT{Sigma: 1, Nu: float64(r.settings.Chains - 1)}
	found.GewekeP = 2 * law.Survival(math.Abs(found.GewekeZ))
	found.Differs = min(found.ChiP, found.KSP, found.GewekeP) < level
	return found, nil
}

// rankBins is the number of bins of a histogram of ranks: 16 if so many hold five sets each, else fewer.
func rankBins(sets, draws int) int { return max(2, min(16, sets/5, draws+1)) }

// calibrated is what simulation-based calibration finds of one statistic.
type calibrated struct {
	ranks        []int     // [sets], of the true value among the draws
	uniform      []float64 // [sets], the ranks spread over [0, 1)
	truth, drawn float64   // means
}

// sequencesAtOnce is the number of copies of sets that one call of a sampler gets in simulation-based calibration.
const sequencesAtOnce = 1024

// calibrate ranks the true values of the statistics among those of the model's draws, set by set.
func (r *checkRun) calibrate() ([]calibrated, error) {
	s := r.settings
	batch := min(s.Sets, max(1, sequencesAtOnce/s.Draws))
	reader, err := r.law.reader("check/calibration", batch)
	if err != nil {
		return nil, err
	}
	found := make([]calibrated, len(checkStatistics))
	done := 0
	for sets, err := range reader.batches(r.ctx, s.Seed, 0, s.Sets) {
		if err == nil {
			err = r.rank(found, sets, done)
		}
		if err != nil {
			return nil, err
		}
		done += sets.B
		s.Progress("simulation-based calibration, sets", done, s.Sets)
	}
	for i := range found {
		found[i].truth /= float64(s.Sets)
		found[i].drawn /= float64(s.Sets * s.Draws)
	}
	return found, nil
}

// rank adds the sets of a batch, the first of which is set number first.
func (r *checkRun) rank(found []calibrated, sets embedded, first int) error {
	draws := r.settings.Draws
	drawn, err := r.draw(sets)
	if err != nil {
		return err
	}
	for b := range sets.B {
		x, truth := sets.Set(b)
		if err := r.rankSet(found, x, append([][]int32{truth}, drawn[b*draws:(b+1)*draws]...), first+b); err != nil {
			return err
		}
	}
	return nil
}

// draw returns the model's draws for the sets of a batch, set by set, from calls for sequencesAtOnce of them.
func (r *checkRun) draw(sets embedded) (drawn [][]int32, err error) {
	rng := data.Rand(r.settings.Seed, "check/calibration/draws", sets.step)
	all := sets.B * r.settings.Draws
	for len(drawn) < all {
		if r.ctx.Err() != nil {
			return nil, train.ErrInterrupted
		}
		var copies []float32
		from, to := len(drawn), min(len(drawn)+sequencesAtOnce, all)
		for i := from; i < to; i++ {
			x, _ := sets.Set(i / r.settings.Draws)
			copies = append(copies, x...)
		}
		some, err := r.sampler.Sample(rng, copies, to-from, sets.N)
		if err != nil {
			return nil, err
		}
		drawn = append(drawn, some...)
	}
	return drawn, nil
}

// rankSet adds one set with its true labels and, after them, those that the model drew.
func (r *checkRun) rankSet(found []calibrated, x []float32, labels [][]int32, set int) error {
	values, err := r.law.statistics(x, labels...)
	if err != nil {
		return err
	}
	rng := data.Rand(r.settings.Seed, "check/calibration/ties", set)
	for i, v := range values {
		rank, err := metrics.SBCRank(rng, v[0], v[1:])
		if err != nil {
			return err
		}
		c := &found[i]
		c.truth += v[0]
		for _, drawn := range v[1:] {
			c.drawn += drawn
		}
		c.ranks = append(c.ranks, rank)
		c.uniform = append(c.uniform, (float64(rank)+rng.Float64())/float64(len(v)))
	}
	return nil
}
