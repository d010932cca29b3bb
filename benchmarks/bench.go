// Package benchmarks measures speed: training steps, greedy decoding of batches, and the time per point of one large set.
// Results carry machine, backend, commit and shapes; they are recorded in benchmarks/results. Nothing here is a test.
package benchmarks

import (
	"fmt"
	"math"
	"runtime"
	"sort"
	"time"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// Result is one measured piece of work. Times are seconds of wall time; the first call, which compiles, is not counted.
type Result struct {
	Work      string    `json:"work"`
	Sets      int       `json:"sets"`     // B
	Points    int       `json:"points"`   // N
	Clusters  int       `json:"clusters"` // K
	Seconds   []float64 `json:"seconds"`  // every repeat, sorted
	Median    float64   `json:"median"`
	PerPoint  float64   `json:"microseconds_per_point"`
	Memory    uint64    `json:"heap_bytes,omitempty"`          // live heap after the work, beside what was there before
	Published float64   `json:"published_seconds,omitempty"`   // the published PyTorch code on such a machine
	Ratio     float64   `json:"published_over_ours,omitempty"` // how many times faster than published
}

// Report is a whole measurement.
type Report struct {
	SchemaVersion int      `json:"schema_version"`
	Machine       string   `json:"machine"`
	Cores         int      `json:"cores"`
	Backend       string   `json:"backend"`
	SIMD          bool     `json:"simd"`
	Commit        string   `json:"commit"`
	Created       string   `json:"created"`
	Repeats       int      `json:"repeats"`
	Results       []Result `json:"results"`
}

// publishedSeconds are the times of the published PyTorch code, measured for this project on a machine of two cores.
var publishedSeconds = map[string]float64{
	"step gfncp 64x75": 21, "step gfncp 16x300": 82, "greedy 64x75": 0.82, "greedy 16x300": 1.76,
}

// clusters is the K of the measured batches.
const clusters = 4

// Suite is what a measurement needs.
type Suite struct {
	Backend compute.Backend
	Model   *train.Model // decodes; a trained one finds the true K
	Repeats int
	Large   []int // sizes of the single sets
	Hear    func(Result)
}

// Run measures everything and hands each result to Hear as soon as it is there.
func (s Suite) Run() ([]Result, error) {
	var results []Result
	add := func(r Result, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", r.Work, err)
		}
		results = append(results, r)
		if s.Hear != nil {
			s.Hear(r)
		}
		return nil
	}
	shapes := []struct{ sets, points int }{{64, 75}, {16, 300}}
	for _, model := range []string{train.GFNCP, train.NCP} {
		for _, shape := range shapes {
			if err := add(s.step(model, shape.sets, shape.points)); err != nil {
				return results, err
			}
		}
	}
	net, err := models.NewNetwork(s.Backend, s.Model.Config.Net, s.Model.Params)
	if err != nil {
		return results, err
	}
	for _, shape := range shapes {
		if err := add(s.greedy(net, shape.sets, shape.points, clusters)); err != nil {
			return results, err
		}
	}
	for _, points := range s.Large {
		if err := add(s.oneSet(net, points)); err != nil {
			return results, err
		}
	}
	return results, nil
}

// step measures one optimizer step of the paper's objective, the negative sample included.
func (s Suite) step(model string, sets, points int) (Result, error) {
	r := Result{Work: "step " + model, Sets: sets, Points: points, Clusters: clusters}
	c := train.Default(model)
	c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Data.FixedK = sets, points, points, clusters
	c.Loss.Beta = 1
	trainer, err := train.New(s.Backend, c)
	if err != nil {
		return r, err
	}
	return s.measure(r, func() error {
		_, err := trainer.Advance()
		return err
	})
}

// greedy measures the greedy decoding of sets with a known number of clusters, encoding included.
func (s Suite) greedy(net *models.Network, sets, points, k int) (Result, error) {
	r := Result{Work: "greedy", Sets: sets, Points: points, Clusters: k}
	return s.decode(r, net, func(*data.Batch) sampling.Policy { return sampling.Greedy{} })
}

// oneSet measures one large set of six clusters along its true labels: the same decisions as greedy decoding, but with a
// number of candidates that does not depend on the model's mistakes, so that the time per point of two sizes compares.
func (s Suite) oneSet(net *models.Network, points int) (Result, error) {
	r := Result{Work: "one set", Sets: 1, Points: points, Clusters: 6}
	return s.decode(r, net, func(b *data.Batch) sampling.Policy { return &sampling.Given{Labels: [][]int32{b.Labels}} })
}

// decode measures a policy on sets with exactly r.Clusters clusters.
func (s Suite) decode(r Result, net *models.Network, policy func(*data.Batch) sampling.Policy) (Result, error) {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.FixedK, c.Stream = r.Sets, r.Points, r.Points, r.Clusters, "bench"
	source, err := data.NewMoG(c)
	if err != nil {
		return r, err
	}
	batch, err := source.Batch(1, 0)
	if err != nil {
		return r, err
	}
	return s.measure(r, func() error {
		encoded, err := sampling.Encode(net, batch.X, batch.B, batch.N)
		if err != nil {
			return err
		}
		_, err = encoded.Run(encoded.EachSet(), policy(batch))
		return err
	})
}

// measure repeats the work after one call that compiles.
func (s Suite) measure(r Result, work func() error) (Result, error) {
	if err := work(); err != nil {
		return r, err
	}
	before := liveHeap()
	for range s.Repeats {
		start := time.Now()
		if err := work(); err != nil {
			return r, err
		}
		r.Seconds = append(r.Seconds, time.Since(start).Seconds())
	}
	if after := liveHeap(); after > before {
		r.Memory = after - before
	}
	sort.Float64s(r.Seconds)
	r.Median = r.Seconds[len(r.Seconds)/2]
	r.PerPoint = math.Round(r.Median/float64(r.Sets*r.Points)*1e8) / 100
	if published, ok := publishedSeconds[fmt.Sprintf("%s %dx%d", r.Work, r.Sets, r.Points)]; ok {
		r.Published, r.Ratio = published, published/r.Median
	}
	return r, nil
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
