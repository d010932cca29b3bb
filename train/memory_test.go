package train

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// rowsPerSet is near the mean number of rows in the candidate tables of drawn sets, and bounds that of a given K.
func TestRowsPerSet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		n     int
		alpha float64
		fixed int
	}{{150, 2, 0}, {300, 6, 0}, {60, 0.5, 0}, {100, 0, 4}} {
		c := Default(NCP)
		c.Data.NMin, c.Data.NMax, c.Data.AlphaMin, c.Data.AlphaMax = test.n, test.n, test.alpha, test.alpha
		c.Data.Batch, c.Data.FixedK, c.Data.MinK = 300, test.fixed, 1
		batch := must.M1(must.M1(data.NewMoG(c.Data)).Batch(1, 0))
		rows := 0.0
		for _, label := range clustersBefore(batch) {
			rows += float64(label+1) / float64(batch.B)
		}
		got := c.rowsPerSet()
		if fits := math.Abs(got-rows) <= 0.06*rows; test.fixed == 0 && !fits || !(got >= 0.94*rows && got <= 1.5*rows) {
			t.Errorf("%+v: %.0f rows, want %.0f", test, got, rows)
		}
	}
}

func clustersBefore(batch *data.Batch) (counts []int) {
	for b := range batch.B {
		_, labels := batch.Set(b)
		k := 0
		for _, label := range labels {
			counts = append(counts, k)
			k = max(k, int(label)+1)
		}
	}
	return counts
}

// The estimate grows with the batch, falls with shards, and is finite for all that Validate lets pass; a step that
// does not fit is refused before anything is written.
func TestMemoryOfTraining(t *testing.T) {
	c := Default(GFNCP)
	once := c.Memory()
	c.Data.Batch *= 2
	if twice := c.Memory(); !(twice > 1.9*once && twice < 2.1*once) {
		t.Errorf("twice the batch takes %s instead of %s", memory.Size(twice), memory.Size(once))
	}
	if n := Default(GFNCP).Layout().Size(); n != 429_696 {
		t.Errorf("the default network has %d weights", n)
	}
	fits := Default(GFNCP).FitMemory()
	most := memory.Limit()
	if runtime.GOMAXPROCS(0) <= 4 {
		most = min(most, modestBytes) // more processors hold more shards at a time
	}
	if fits.Memory() > most {
		t.Errorf("%s may be used, and the default takes %s in %d shards",
			memory.Size(most), memory.Size(fits.Memory()), fits.Train.Shards)
	}
	small := Default(GFNCP)
	small.Data.Batch, small.Data.NMax = 16, 150
	if small.FitMemory() != small {
		t.Errorf("a small step of %s was divided", memory.Size(small.Memory()))
	}
	c.Train.Shards = 4096
	if less := c.Memory(); !(less < once/4) {
		t.Errorf("in many shards it takes %s", memory.Size(less))
	}
	c.Data.Batch, c.Data.NMax, c.Data.AlphaMax = 1_000_000, 1_000_000, 1e300
	if c.Validate() != nil || math.IsInf(c.Memory(), 0) || math.IsNaN(c.Memory()) {
		t.Errorf("the largest config takes %g (%v)", c.Memory(), c.Validate())
	}
	dir := t.TempDir() + "/run"
	open := func(data.Config) (data.Source, error) { t.Error("data were read"); return nil, nil }
	if _, err := Run(t.Context(), openGo(t), open, c, dir, Listener{}); !usererr.Is(err) {
		t.Errorf("the largest config gave %v", err)
	}
}

// In 200 steps of the paper's sets a device compiles at most 16 programs, whatever the model samples: the gradient for
// seven sizes of sets and for exploration steps, the encoder, the loop for 16, 32 and 64 slots; the weights' folding,
// the optimizer, its first values, and a validation's objective are four more. On average there are at most 1.25 times
// the rows that exist.
func TestFewProgramsOfThePaper(t *testing.T) {
	short.Skip(t, "takes seconds")
	t.Parallel()
	c := Default(GFNCP)
	buckets := must.M1(c.planned())
	source := must.M1(sources.Source(c.Data))
	programs := map[string]bool{}
	list := func(batch *data.Batch) *models.Candidates {
		l := must.M1(models.ListCandidates(batch.Labels, batch.B, batch.N, buckets))
		programs[fmt.Sprintf("gradient of %d points, %d rows, %d and %d slots",
			l.N, l.R, l.K, buckets.SampleSlots(50))] = true
		return l
	}
	padded, real := 0, 0
	for step := range 200 {
		batch := must.M1(source.Batch(c.Seed, step))
		padded += list(batch).R
		real += rows(batch)
		if step%20 == 0 {
			list(explore(batch, c, Moment{Index: step}))
		}
		programs[fmt.Sprintf("encoder %d×%d", buckets.Sequences(batch.B), buckets.InLoop(batch.N))] = true
	}
	for slots := buckets.First; slots <= buckets.SampleSlots(50); slots = buckets.MoreSlots(slots) {
		programs[fmt.Sprintf("loop of %d slots", slots)] = true
	}
	if len(programs) > 12 {
		t.Errorf("%d programs: %v", len(programs), programs)
	}
	if share := float64(padded) / float64(real); !(share <= 1.25) {
		t.Errorf("%.3f times the rows that exist", share)
	}
}

func rows(batch *data.Batch) (count int) {
	for _, clusters := range clustersBefore(batch) {
		count += clusters + 1
	}
	return count
}

// The plan of sets of one size has one table, or, in one step in eight at most, the fullest, and at most 1.15 times the
// rows that exist, whether the law is a Chinese restaurant process or has a given or a bounded K.
func TestPlanOfOneSize(t *testing.T) {
	short.Skip(t, "plans many batches of each kind")
	t.Parallel()
	const steps = 16
	for name, change := range map[string]func(d *data.Config){
		"α=6":       func(*data.Config) {},
		"α=0.7":     func(d *data.Config) { d.AlphaMin, d.AlphaMax = 0.7, 0.7 },
		"K=4":       func(d *data.Config) { d.FixedK = 4 },
		"K=30":      func(d *data.Config) { d.FixedK = 30 },
		"at most 9": func(d *data.Config) { d.MaxK = 9 },
	} {
		c := Default(GFNCP)
		c.Data.NMin, c.Data.NMax = 75, 75
		change(&c.Data)
		buckets, source := must.M1(c.planned()), must.M1(sources.Source(c.Data))
		tables, padded, real := map[int]int{}, 0, 0
		for step := range steps {
			batch := must.M1(source.Batch(1, step))
			l := must.M1(models.ListCandidates(batch.Labels, batch.B, batch.N, buckets))
			tables[l.R]++
			padded, real = padded+l.R, real+rows(batch)
			if l.N != 80 {
				t.Errorf("%s: %d points", name, l.N)
			}
		}
		most := 0
		for _, count := range tables {
			most = max(most, count)
		}
		if share := float64(padded) / float64(real); len(tables) > 2 || most < steps*7/8 || !(share <= 1.15) {
			t.Errorf("%s: tables %v, %.3f times the rows that exist", name, tables, share)
		}
	}
}

// The fullest table of a plan holds the sets of exploration steps, whose labels are as many as the data's.
func TestPlanOfExploration(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{losses.UniformLabels, losses.MergeBlocks} {
		c := Default(GFNCP)
		c.Data.NMin, c.Data.NMax, c.Loss.Explore = 300, 300, rule
		buckets, source := must.M1(c.planned()), must.M1(sources.Source(c.Data))
		tables := map[int]bool{}
		for step := range 5 {
			batch := must.M1(source.Batch(1, step))
			explored := explore(batch, c, Moment{Index: step})
			for _, b := range []*data.Batch{batch, explored} {
				tables[must.M1(models.ListCandidates(b.Labels, b.B, b.N, buckets)).R] = true
			}
		}
		if len(tables) > 2 {
			t.Errorf("%s: tables of %v rows", rule, tables)
		}
	}
}
