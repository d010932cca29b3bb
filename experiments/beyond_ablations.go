package experiments

import (
	"fmt"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/train"
)

var ablationLoss = ablation{
	groups:   lossGroups,
	metrics:  []string{"NMI", "ARI", "MC", "MC_last"},
	measures: []ablationMetric{sdppMetric, exactnessMetric},
	curves:   []validationCurve{nmiCurve, clustersCurve},
	notes:    lossNotes,
}.experiment(Experiment{
	ID: "ablation-loss", Title: "Objectives on the same energies",
	Shows:  "what marginal consistency brings over the balance losses of flow networks",
	Built:  "MoG for the likelihood, MC, DB, TB and SubTB from scratch, and MC and TB with a warm start",
	Expect: "smoke: half a minute on 2 cores",
})

// lossGroups are the rows: each loss as the paper trains, then two after a likelihood warm-up.
func lossGroups(s Scale) []ablationGroup {
	group := ablationGroup{Name: "MoG", Rows: []NamedConfig{{"Likelihood (NCP)", s.ablation(ncp)}}}
	add := func(name, balance string, from method) {
		c := s.ablation(from)
		c.Loss.Balance = balance
		group.Rows = append(group.Rows, NamedConfig{name, c})
	}
	add("MC (paper)", "", coldGFNCP)
	for _, b := range losses.Balances()[1:] {
		add(b.Title, b.Name, coldGFNCP)
	}
	add("MC, warm start", "", warmGFNCP)
	add("TB, warm start", losses.TB, warmGFNCP)
	return []ablationGroup{group}
}

func lossNotes(s *sheet) {
	trainingNote(s)
	s.note(`All rows but the first keep CD, Reg and the gauge as the paper's objective has them; only the loss that asks for
		balanced flows differs. DB is MC, term by term (docs/training.md): their rows differ by rounding alone, which shows what
		rounding does to a run; while their curves coincide, DB's covers that of MC.

		Warm start: half of the steps by likelihood, then the full objective with a likelihood term of weight 1.

		MC is the exact sum over n = 2..N on the true labels, whatever the training minimizes, and MC_last its term n = N. SDPP:
		%d sets of %d points, %d orders, the data's labels. KL a point: KL(exact‖model) in nats a point on %d sets of %d points,
		where the posterior of CRP(%g) is enumerated; such sets are smaller than any of the training.`,
		s.Scale.ablationSDPPSets(), evaluation.SDPPPoints, s.Scale.ablationOrders(),
		s.Scale.ablationLawSets(), exactPoints,
		mogData.Alpha)
}

func trainingNote(s *sheet) {
	c, where := s.Scale.ablation(coldGFNCP), s.Scale.ablationTest()
	s.note(`Trained on MoG, CRP(%g): %d sets a step with N = %d..%d, %d steps, no shipped weights (paper: 64 sets, 100..1000,
		5,000 steps). Test: %d sets of %d points, greedy decoding, weights of lowest validation loss, which is each row's own
		loss.`, mogData.Alpha, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, where.Sets, where.Data.NMin)
}

var ablationWeights = ablation{
	groups:  weightGroups,
	metrics: []string{"NMI", "ARI", "MC", "clusters", "true clusters"},
	curves:  []validationCurve{nmiCurve},
	notes:   weightNotes,
}.experiment(Experiment{
	ID: "ablation-weights", Title: "Weights of the objective",
	Shows:  "what the weights, the exploration and clipping do",
	Built:  "MoG for λ, δ, β, the clipping of gradients and the labels of exploration steps, one at a time",
	Expect: "smoke: half a minute on 2 cores",
})

// exploringBeta is β of the rows that compare exploration: at the default there is one such step in a thousand.
const exploringBeta = 0.9

// weightGroups are one group for each setting. The default stands in several; it is one run.
func weightGroups(s Scale) []ablationGroup {
	base := s.ablation(coldGFNCP)
	numbers := func(name, file, symbol string, set func(c *train.Config, v float64), values ...float64) ablationGroup {
		group := ablationGroup{Name: name, File: file}
		for _, v := range values {
			c := base
			set(&c, v)
			label := fmt.Sprintf("%s = %g", symbol, v)
			if c == base {
				label += " (default)"
			}
			group.Rows = append(group.Rows, NamedConfig{label, c})
		}
		return group
	}
	exploration := ablationGroup{Name: fmt.Sprintf("exploration, β = %g", exploringBeta), File: "explore"}
	for _, rule := range []string{losses.UniformLabels, losses.UniformActions, losses.MergeBlocks} {
		c := base
		c.Loss.Beta, c.Loss.Explore = exploringBeta, rule
		exploration.Rows = append(exploration.Rows, NamedConfig{rule, c})
	}
	return []ablationGroup{
		numbers("λ, weight of CD", "lambda", "λ", func(c *train.Config, v float64) { c.Loss.Lambda = v }, 0, 0.4, 4),
		numbers("δ, weight of Reg", "delta", "δ", func(c *train.Config, v float64) { c.Loss.Delta = v }, 0.06, 0.6, 6),
		numbers("β, data steps", "beta", "β", func(c *train.Config, v float64) { c.Loss.Beta = v },
			0.9, 0.99, 0.999, 1),
		numbers("clipping", "clip", "clip_norm", func(c *train.Config, v float64) { c.Train.ClipNorm = v },
			0, 0.3, 1, 10),
		exploration,
	}
}

func weightNotes(s *sheet) {
	c := s.Scale.ablation(coldGFNCP)
	steps := float64(c.Train.Steps)
	trainingNote(s)
	s.note(`One setting differs from the paper's objective, trained from the first step, at a time. The default row is one run,
		also that of MC (paper) in ablation-loss.

		A step explores with probability 1 − β: of %d steps about %.3g at the default β = %g, too few to compare the rules for
		the labels of exploration steps; those rows have β = %g, about %.3g steps. clip_norm = 0 does not clip.

		clusters is the mean number found by greedy decoding.`,
		c.Train.Steps, (1-c.Loss.Beta)*steps, c.Loss.Beta, exploringBeta, (1-exploringBeta)*steps)
}
