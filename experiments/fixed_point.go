package experiments

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/report/table"
)

// fixedPoint minimizes the expected loss where the energies of all decisions are free and the data follow a known law.
var fixedPoint = Experiment{
	ID: "fixed-point", Title: "What the objective converges to, without a network", Section: "beyond the paper",
	Shows: "how far the minimum of MC + δ·Reg + λ·CD lies from the law of the data, " +
		"when the energies of three points are free",
	Built:   "three laws of the partitions of three points, five settings of λ and δ",
	Expect:  "every scale: a second, no training",
	Configs: func(Scale) []NamedConfig { return nil },
	run:     runFixedPoint,
}

// partitionsOfThree are the labels of points 2 and 3, as decisions: c2 ∈ {0, 1}, then c3; the order of the laws below.
var partitionsOfThree = [5][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}}

// tabular holds one energy for each decision: two of point 2, then those of point 3 after each, in partition order.
type tabular [7]float64

// logSumExpNeg is log Σ exp(−E) of some energies. No library's: it is called a million times a law and must allocate
// nothing.
func logSumExpNeg(energies ...float64) float64 {
	low := slices.Min(energies)
	var sum float64
	for _, e := range energies {
		sum += math.Exp(low - e)
	}
	return math.Log(sum) - low
}

func (e tabular) decisions() (second float64, third [2]float64) {
	return logSumExpNeg(e[0], e[1]), [2]float64{logSumExpNeg(e[2], e[3]), logSumExpNeg(e[4], e[5], e[6])}
}

// policy is the law of the partitions: softmax(−E) at each decision.
func (e tabular) policy() (law [5]float64) {
	second, third := e.decisions()
	for i, c := range partitionsOfThree {
		law[i] = math.Exp(-e[c[0]] - second - e[2+i] - third[c[0]])
	}
	return law
}

// objective is the expected loss a point under the data's law; sampled is the law of the negative samples, which has
// no gradient.
func (e tabular) objective(law, sampled [5]float64, lambda, delta float64) float64 {
	low := math.Min(e[0], e[1])
	hat := [2]float64{e[0] - low, e[1] - low} // Ê for 2 ≤ n < N
	start := logSumExpNeg(hat[0], hat[1])     // + Ê = 0 at n = 1
	_, third := e.decisions()
	var total float64
	for i, c := range partitionsOfThree {
		last := hat[c[0]] + third[c[0]]
		total += law[i] * (start*start + last*last + delta*e[2+i]*e[2+i])
		total += lambda * (law[i] - sampled[i]) * e[2+i]
	}
	return total / 3
}

// descend minimizes the objective by gradient descent with a falling rate; derivatives are central differences.
func descend(law [5]float64, lambda, delta float64) tabular {
	const steps, width = 20000, 1e-5
	var e tabular
	for step := range steps {
		sampled, rate := e.policy(), 0.3*(1-float64(step)/steps)
		rate /= 1 + lambda // keeps the largest terms stable
		var gradient tabular
		for i := range e {
			up, down := e, e
			up[i] += width
			down[i] -= width
			gradient[i] = (up.objective(law, sampled, lambda, delta) - down.objective(law,
				sampled, lambda, delta)) / (2 * width)
		}
		for i := range e {
			e[i] -= rate * gradient[i]
		}
	}
	return e
}

var fixedPointLaws = []struct {
	name string
	law  [5]float64
}{
	{"0.90, 0.04, 0.03, 0.02, 0.01", [5]float64{0.9, 0.04, 0.03, 0.02, 0.01}},
	{"0.55, 0.15, 0.10, 0.10, 0.10", [5]float64{0.55, 0.15, 0.1, 0.1, 0.1}},
	{"0.30, 0.20, 0.20, 0.20, 0.10", [5]float64{0.3, 0.2, 0.2, 0.2, 0.1}},
}

var fixedPointSettings = []struct {
	name          string
	lambda, delta float64
}{
	{"λ = 0.4, δ = 0.6 (published)", 0.4, 0.6},
	{"λ = 0.4, δ = 0", 0.4, 0},
	{"λ = 4, δ = 0.6", 4, 0.6},
	{"λ = 40, δ = 0.6", 40, 0.6},
	{"λ = 40, δ = 0", 40, 0},
}

func runFixedPoint(s *sheet) error {
	s.note(`Data: the probabilities of the partitions {123}, {12}{3}, {13}{2}, {1}{23}, {1}{2}{3}. KL is KL(data‖model) in nats a
		point, TV total variation, P({123}) and P({1}{2}{3}) the model's.

		With a network and many points the energies are not free, but what holds here is not the network's fault: at the
		published weights the minimum is not the law of the data. Reg draws the final energy of every clustering that occurs to
		0, so rare ones gain; MC with Ê = E − min E wants every decision before the last to be certain. A larger λ lets CD,
		whose fixed point is the law of the data, prevail.`)
	for _, d := range fixedPointLaws {
		for _, setting := range fixedPointSettings {
			reached := descend(d.law, setting.lambda, setting.delta).policy()
			var tv, kl float64
			for i, p := range d.law {
				tv += math.Abs(p-reached[i]) / 2
				kl += p * math.Log(p/reached[i]) / 3
			}
			if math.IsNaN(kl) {
				return fmt.Errorf("fixed point of %s at %s is not a number", d.name, setting.name)
			}
			for i, metric := range []string{"KL a point", "TV", "P({123})", "P({1}{2}{3})"} {
				value := [4]float64{kl, tv, reached[0], reached[4]}[i]
				cell := table.Cell{Data: d.name, Model: setting.name, Metric: metric}
				s.one(cell, found[float64]{value: value, model: "exact"}, 1)
			}
		}
	}
	return nil
}
