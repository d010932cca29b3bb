package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

var allShapes = []Shape{ShapeFull, ShapeAxes, ShapeTied, ShapeTiedAxes}

// smallSelection are six points in two coordinates, of which the first tells two groups, with three directions.
func smallSelection(shapes ...Shape) (*Selection, []float64) {
	x := []float64{-1.2, 0.3, -0.9, -0.8, -1.1, 0.6, 0.8, 0.5, 1.3, -1.1, 1.1, 0.5}
	return &Selection{
		Covariance: covarianceOf(x, 2), Directions: [][]float64{{0.6, 0.8}, {1, 0}, {0, 1}}, Axes: 1, Most: 2,
		Start: []int{0, 1}, Shapes: shapes,
	}, x
}

func covarianceOf(x []float64, d int) *mat.SymDense {
	c := mat.NewSymDense(d, nil)
	for at := 0; at < len(x); at += d {
		c.SymRankOne(c, float64(d)/float64(len(x)), mat.NewVecDense(d, x[at:at+d]))
	}
	return c
}

// evidenceOf is that of points under labels 0..K−1.
func evidenceOf(s *Selection, x []float64, labels []int32) *evidence {
	rows := project(x, s.Directions)
	e := newEvidence(s, x, rows, len(labels))
	e.gather(rows, labels, int(slices.Max(labels))+1)
	return e
}

// joint is the law of partition, choice and shape of the points of smallSelection: [partition][choice·shape].
func joint(t *testing.T, s *Selection, x []float64, prior CRP) (law [][]float64) {
	t.Helper()
	n := len(x) / 2
	crp, terms := mustPrior(t, prior, n), make([]float64, len(s.Shapes))
	var all []float64
	for _, labels := range must[[][]int32](t)(Partitions(n)) {
		e, size := evidenceOf(s, x, labels), make([]int, slices.Max(labels)+1)
		for _, k := range labels {
			size[k]++
		}
		var logs []float64
		for _, chosen := range s.choices() {
			log := e.log(chosen, terms)
			for _, term := range terms {
				logs = append(logs, crp(size)+log+term-floats.LogSumExp(terms))
			}
		}
		law, all = append(law, logs), append(all, logs...)
	}
	total := floats.LogSumExp(all)
	for _, row := range law {
		for i := range row {
			row[i] = math.Exp(row[i] - total)
		}
	}
	return law
}

// Partition, directions and shape are drawn as often as their joint law says, enumerated; the same counts do not fit a
// law without shared covariances.
func TestSelectionAgainstEnumeration(t *testing.T) {
	s, x := smallSelection(allShapes...)
	const n = 6
	prior := CRP{Alpha: 1.5}
	law := joint(t, s, x, prior)
	choices := s.choices()
	rows := project(x, s.Directions)
	chain := must[*Chain](t)(newSelectingChain(newEvidence(s, x, rows, n), prior, x, rows, OneCluster(n)))
	rng := rand.New(rand.NewPCG(3, 4))
	counts, chosen := make([]float64, len(law)), make([]float64, len(law[0]))
	for range 6000 {
		for range 12 {
			if err := chain.advance(t.Context(), rng); err != nil {
				t.Fatal(err)
			}
		}
		counts[must[int](t)(PartitionIndex(chain.Labels()))]++
		at := slices.IndexFunc(choices, func(c []int) bool { return slices.Equal(c, chain.selecting.chosen) })
		chosen[at*len(s.Shapes)+int(chain.selecting.shape)]++
	}
	byPart, byChoice := make([]float64, len(law)), make([]float64, len(law[0]))
	for i, row := range law {
		byPart[i] = floats.Sum(row)
		floats.Add(byChoice, row)
	}
	if p := chiSquared(counts, byPart); p < 0.001 {
		t.Errorf("partitions: p = %v", p)
	}
	if p := chiSquared(chosen, byChoice); p < 0.001 {
		t.Errorf("directions and shapes: p = %v", p)
	}
	exact := must[*Distribution](t)(EnumerateSelection(s, mustPrior(t, prior, n), x))
	for i, p := range byPart {
		near(t, "enumerated", math.Exp(exact.LogProb[i]), p, 1e-12)
	}
	at := must[int](t)(PartitionIndex(chain.Labels()))
	weight := func(choice int) float64 { return math.Log(floats.Sum(law[at][4*choice : 4*choice+4])) }
	chain.selecting.chosen, chain.selecting.known = choices[0], nil
	log := chain.LogPosterior()
	chain.selecting.chosen, chain.selecting.known = choices[5], nil
	near(t, "log-posterior", chain.LogPosterior()-log, weight(5)-weight(0), 1e-9)
	s.Shapes = allShapes[:2]
	other := must[*Distribution](t)(EnumerateSelection(s, mustPrior(t, prior, n), x))
	if p := chiSquared(counts, probabilities(other)); p > 1e-4 {
		t.Errorf("p = %v of a law without shared covariances: the test sees nothing", p)
	}
}

// The log-marginals of shapes without a shared covariance are those of NIW and Diagonal, the densities of all points
// that of an NIW; in all coordinates and one cluster nothing is left but the prior.
func TestEvidenceIsThatOfItsLaws(t *testing.T) {
	s, x := smallSelection(ShapeFull, ShapeAxes)
	labels := []int32{0, 1, 0, 1, 1, 2}
	e := evidenceOf(s, x, labels)
	for _, chosen := range s.choices() {
		var directions [][]float64
		for _, i := range chosen {
			directions = append(directions, s.Directions[i])
		}
		y, q := project(x, directions), len(chosen)
		full := defaultNIW(make([]float64, q), covarianceOf(y, q))
		axes := Diagonal{Mean: full.Mean, Kappa: full.Kappa, Nu: 3}
		for j := range q {
			axes.Psi = append(axes.Psi, full.Psi.At(j, j))
		}
		logDet, _ := e.volume(chosen)
		for shape, law := range []Likelihood{full, axes} {
			want := must[float64](t)(LogLikelihood(law, y, labels))
			near(t, "marginal", e.marginal(chosen, Shape(shape), logDet), want, 1e-9)
		}
		one := NIW{Mean: full.Mean, Kappa: 1, Nu: float64(q) + 2, Psi: covarianceOf(y, q)}
		want := must[float64](t)(LogLikelihood(one, y, OneCluster(6)))
		near(t, "without clusters", e.common(chosen, logDet), want, 1e-9)
	}
}

// A covariance that clusters share, in one direction: given σ² a cluster is a Gaussian of width σ with means of spread
// σ/√κ0, and σ² is inverse-gamma, integrated by Gauss-Legendre over log σ².
func TestSharedCovarianceAgainstQuadrature(t *testing.T) {
	s, x := smallSelection(allShapes...)
	labels := []int32{0, 1, 0, 1, 1, 2}
	e := evidenceOf(s, x, labels)
	for i := range 2 {
		y := project(x, s.Directions[i:i+1])
		logDet, _ := e.volume([]int{i})
		got := e.marginal([]int{i}, ShapeTied, logDet)
		near(t, "diagonal", e.marginal([]int{i}, ShapeTiedAxes, logDet), got, 1e-9)
		share, kappa := e.clusterPrior(1)
		psi := share * covarianceOf(y, 1).At(0, 0)
		logAt := func(logVariance float64) float64 {
			sigma := math.Exp(logVariance / 2)
			fit := must[float64](t)(LogLikelihood(Gaussian{1, sigma / math.Sqrt(kappa), sigma}, y, labels))
			precision := distuv.Gamma{Alpha: 1.5, Beta: psi / 2}
			return fit + precision.LogProb(math.Exp(-logVariance)) - logVariance
		}
		area := quad.Fixed(func(v float64) float64 { return math.Exp(logAt(v) - got) }, -12, 16, 600, nil, 0)
		near(t, "log of the ratio to the integral", math.Log(area), 0, 1e-8)
	}
}

// In a plane of any two independent directions that span it the same clusters are as likely; dependent ones are not
// chosen.
func TestSelectionKnowsSpansAndDependence(t *testing.T) {
	s, x := smallSelection(ShapeFull, ShapeTied)
	e := evidenceOf(s, x, []int32{0, 0, 0, 1, 1, 1})
	terms := make([]float64, 2)
	want := e.log([]int{0, 1}, terms)
	near(t, "another basis", e.log([]int{0, 2}, terms), want, 1e-9)
	s.Directions[2] = []float64{1.2, 1.6}
	e = evidenceOf(s, x, []int32{0, 0, 0, 1, 1, 1})
	if got := e.log([]int{0, 2}, terms); !math.IsInf(got, -1) {
		t.Errorf("twice the same direction has log weight %v", got)
	}
}

// Of two groups that one of four coordinates tells the chains choose that coordinate, whatever the noise.
func TestSelectionFindsTheDirection(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, d = 80, 4
	x := normals(rng, n*d)
	truth := make([]int32, n)
	for i := range n {
		truth[i] = int32(i % 2)
		x[i*d+2] += 8*float64(i%2) - 4
	}
	s := &Selection{
		Covariance: covarianceOf(x, d), Most: 4, Start: []int{0, 1, 2, 3}, Shapes: allShapes,
	}
	for j := range d {
		w := make([]float64, d)
		w[j] = 1
		s.Directions = append(s.Directions, w)
	}
	starts := [][]int32{OneCluster(n), Singletons(n)}
	e := must[*Ensemble](t)(NewSelectingEnsemble(s, CRP{Alpha: 1}, x, starts, streams(2)))
	must[*Draws](t)(e.Run(t.Context(), 100, 0))
	draws := must[*Draws](t)(e.Run(t.Context(), 200, 50))
	seen := make([]float64, d)
	ari := 0.0
	for _, state := range draws.States {
		for _, w := range state.Directions {
			for j, v := range w {
				if v != 0 {
					seen[j] += 1. / float64(len(draws.States))
				}
			}
		}
		ari += must[float64](t)(metrics.ARI(truth, state.Labels)) / float64(len(draws.States))
	}
	if ari < 0.7 {
		t.Errorf("mean ARI %v", ari)
	}
	for j, share := range seen {
		if (share > 0.5) != (j == 2) {
			t.Errorf("coordinate %d is chosen in %v of the samples", j, share)
		}
	}
}

func TestSelectionErrors(t *testing.T) {
	for name, change := range map[string]func(*Selection){
		"covariance": func(s *Selection) { s.Covariance = mat.NewSymDense(2, []float64{1, 1, 1, 1}) },
		"most":       func(s *Selection) { s.Most = 3 },
		"start":      func(s *Selection) { s.Start = []int{1, 0} },
		"no start":   func(s *Selection) { s.Start = nil },
		"axes":       func(s *Selection) { s.Axes = 4 },
		"shape":      func(s *Selection) { s.Shapes = []Shape{7} },
		"shapes":     func(s *Selection) { s.Shapes = nil },
	} {
		s, x := smallSelection(ShapeFull)
		change(s)
		if _, err := NewSelectingEnsemble(s, CRP{Alpha: 1}, x, [][]int32{OneCluster(6)}, streams(1)); !usererr.Is(err) {
			t.Errorf("%s: %v, want a fault of the user", name, err)
		}
	}
	s, x := smallSelection(ShapeFull)
	s.Directions[1] = []float64{1}
	if _, err := EnumerateSelection(s, mustPrior(t, CRP{Alpha: 1}, 6), x); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("a direction of one number: %v", err)
	}
	s, x = smallSelection(ShapeFull)
	if _, err := s.LogCommon([][]float64{{1, 0}, {2, 0}}, x); !usererr.Is(err) {
		t.Errorf("dependent directions: %v", err)
	}
}
