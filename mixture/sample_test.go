package mixture

import (
	"context"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/cputime"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/tables"
)

// tableOf lays columns side by side.
func tableOf(columns [][]float64) tables.Table {
	t := tables.Table{Rows: len(columns[0])}
	for i := range t.Rows {
		for _, column := range columns {
			t.Numbers = append(t.Numbers, column[i])
		}
	}
	return t
}

// pointsTable is the first two columns of examples/points.csv.
func pointsTable(t testing.TB) tables.Table {
	file, err := os.Open("../examples/points.csv")
	must.M(err)
	defer file.Close()
	columns := make([][]float64, 2)
	for _, record := range must.M1(csv.NewReader(file).ReadAll())[1:] {
		for d := range columns {
			columns[d] = append(columns[d], must.M1(strconv.ParseFloat(record[d], 64)))
		}
	}
	return tableOf(columns)
}

// draw is a set with what is known of it.
type drawn struct {
	name    string
	columns [][]float64
	truth   []int32
	number  int
}

// tBlobs are four blobs of 50 rows with 3 degrees of freedom.
func tBlobs(seed uint64) drawn {
	return shaped("t3 blobs", em.NewRandom(seed, 1), 200, 2, 4, func(rng em.Random, _, k int, row []float64) {
		root := math.Sqrt(rng.Gamma(1.5) / 1.5)
		for d := range row {
			row[d] = float64(8*(k>>d&1)) + rng.NormFloat64()/root
		}
	})
}

// one is a single cluster of n rows: with a factor of correlation and with df degrees of freedom.
func one(name string, seed uint64, n int, df, long, slope float64) drawn {
	return shaped(name, em.NewRandom(seed, 2), n, 2, 1, func(rng em.Random, _, _ int, row []float64) {
		root := 1.0
		if df > 0 {
			root = math.Sqrt(rng.Gamma(df/2) / (df / 2))
		}
		x, y := long*rng.NormFloat64()/root, rng.NormFloat64()/root
		row[0], row[1] = x, slope*x+y
	})
}

// ellipses are number long clusters of each rows on a grid, turned in different ways.
func ellipses(seed uint64, number, each int) drawn {
	width, angle := int(math.Ceil(math.Sqrt(float64(number)))), 0.0
	draws := em.NewRandom(seed, 3)
	return shaped("ellipses", draws, number*each, 2, number, func(rng em.Random, i, k int, row []float64) {
		if i%each == 0 {
			angle = rng.Float64() * math.Pi
		}
		x, y := 1.6*rng.NormFloat64(), 0.4*rng.NormFloat64()
		row[0] = 8*float64(k%width) + x*math.Cos(angle) - y*math.Sin(angle)
		row[1] = 8*float64(k/width) + x*math.Sin(angle) + y*math.Cos(angle)
	})
}

// rare is a large and a small cluster, shift standard deviations apart in each column.
func rare(seed uint64, dim int, shift float64) drawn {
	rng := em.NewRandom(seed, 4)
	set := drawn{name: "990 + 10", columns: make([][]float64, dim), number: 2}
	for i := range 1000 {
		k := int32(i / 990)
		set.truth = append(set.truth, k)
		for d := range set.columns {
			set.columns[d] = append(set.columns[d], rng.NormFloat64()+shift*float64(k))
		}
	}
	return set
}

// nested is a narrow cluster within a wide one.
func nested(seed uint64) drawn {
	return shaped("nested", em.NewRandom(seed, 5), 200, 2, 2, func(rng em.Random, _, k int, row []float64) {
		for d := range row {
			row[d] = []float64{.1, 3}[k] * rng.NormFloat64()
		}
	})
}

// correlated are Gaussian clusters with covariances of their own in many columns.
func correlated(seed uint64, dim, number, each int) drawn {
	rng := em.NewRandom(seed, 6)
	set := drawn{name: strconv.Itoa(dim) + " columns", columns: make([][]float64, dim), number: number}
	for k := range number {
		factor, centre := make([]float64, dim*dim), make([]float64, dim)
		for d := range centre {
			centre[d] = 1.5 * rng.NormFloat64()
			for e := range d {
				factor[d*dim+e] = 0.3 * rng.NormFloat64()
			}
			factor[d*dim+d] = 0.5 + rng.Float64()
		}
		noise := make([]float64, dim)
		for range each {
			for d := range noise {
				noise[d] = rng.NormFloat64()
			}
			for d := range dim {
				set.columns[d] = append(set.columns[d], centre[d]+floats.Dot(factor[d*dim:d*dim+d+1], noise[:d+1]))
			}
			set.truth = append(set.truth, int32(k))
		}
	}
	return set
}

func lognormal(seed uint64) drawn {
	return shaped("lognormal", em.NewRandom(seed, 7), 150, 1, 1, func(rng em.Random, _, _ int, row []float64) {
		row[0] = math.Exp(rng.NormFloat64())
	})
}

// sampled runs the sampler and demands the true K.
func sampled(t *testing.T, set drawn, options Options) *Posterior {
	t.Helper()
	began := cputime.Process()
	p := must.M1(Sample(context.Background(), tableOf(set.columns), options))
	t.Logf("%-14s K %d, P %.2f, ARI %.3f, %+v, %d sweeps, %s, %.2f s", set.name, p.Number, slices.Max(p.NumberProbs),
		must.M1(metrics.ARI(set.truth, p.Labels)), p.Convergence, p.Sweeps, p.Ending, cputime.Process()-began)
	if p.Number != set.number {
		t.Errorf("%s: K = %d, want %d", set.name, p.Number, set.number)
	}
	return p
}

// agree demands labels that have an ARI of at least least with the truth.
func agree(t *testing.T, name string, truth, labels []int32, least float64) {
	t.Helper()
	if ari := must.M1(metrics.ARI(truth, labels)); ari < least {
		t.Errorf("%s: ARI %.3f, want at least %g", name, ari, least)
	}
}

// The table of what went wrong before: fresh draws, their true K.
func TestFewColumns(t *testing.T) {
	short.Skip(t, "clusters a dozen tables")
	const seed = 2
	for _, set := range []drawn{
		tBlobs(seed), one("one t2", seed, 200, 2, 1, 0.5), one("one Gaussian", seed, 150, 0, 1, 0.9),
		one("cigar", seed, 144, 0, 12, 1), nested(seed), rare(seed, 5, 4), ellipses(seed, 14, 70), lognormal(seed),
	} {
		p := sampled(t, set, Options{Seed: 1})
		if p.Ending != Agreement {
			t.Errorf("%s: ended by %s", set.name, p.Ending)
		}
	}
	points := pointsTable(t)
	p := must.M1(Sample(context.Background(), points, Options{Seed: 1}))
	if p.Number != 6 || p.NumberProbs[6] < 0.5 {
		t.Errorf("points.csv: K = %d, P(6) = %.2f, want 6", p.Number, p.NumberProbs[6])
	}
}

func TestManyColumns(t *testing.T) {
	short.Skip(t, "clusters a dozen tables")
	for _, set := range []drawn{correlated(1, 15, 5, 100), correlated(2, 25, 3, 120)} {
		agree(t, set.name, set.truth, sampled(t, set, Options{Seed: 1}).Labels, 0.95)
	}
}

// A cancelled context is an error, a deadline an answer that says so; both soon.
func TestContext(t *testing.T) {
	table := tableOf(tBlobs(1).columns)
	ctx, cancel := context.WithCancel(context.Background())
	blocks := 0
	options := Options{Seed: 1, Work: 1e12, Progress: func(done, _ int) {
		if blocks++; done >= firstSweeps {
			cancel()
		}
	}}
	if _, err := Sample(ctx, table, options); !errors.Is(err, context.Canceled) || blocks != 1 {
		t.Errorf("cancelled after %d blocks: %v", blocks, err)
	}
	ended, stop := context.WithTimeout(context.Background(), 0)
	defer stop()
	if _, err := Sample(ended, table, Options{Seed: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without time: %v", err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	late := &deadlineAfter{Context: context.Background()}
	late.checks.Store(1500)
	p, err := Sample(late, table, Options{Seed: 1})
	if err != nil || p.Ending != Deadline || p.Sweeps < leastSweeps || len(p.Labels) != table.Rows {
		t.Errorf("deadline: %+v, %v", p, err)
	}
}

// deadlineAfter is a context whose deadline passes at some call of Err, so that no clock decides.
type deadlineAfter struct {
	context.Context
	checks atomic.Int64
}

func (d *deadlineAfter) Err() error {
	if d.checks.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}
