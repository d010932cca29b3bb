package experiments

import (
	"fmt"

	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/train"
)

// ablationWeights changes one setting of the paper's objective at a time.
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
		numbers("β, data steps", "beta", "β", func(c *train.Config, v float64) { c.Loss.Beta = v }, 0.9, 0.99, 0.999, 1),
		numbers("clipping", "clip", "clip_norm", func(c *train.Config, v float64) { c.Train.ClipNorm = v }, 0, 0.3, 1, 10),
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
