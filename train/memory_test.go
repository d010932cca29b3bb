package train

import (
	"math"
	"runtime"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
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

// clustersBefore is the number of clusters before each point of each set.
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
