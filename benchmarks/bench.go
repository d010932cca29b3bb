// Package benchmarks measures speed: training steps and their parts, decoding, one large set, many small sets,
// compilation, and how far training and decoding are from what the machine allows. Results carry machine, backend,
// commit and shapes; they are recorded in benchmarks/results and shown in docs/performance.md.
//
// A measurement is a list of works in groups (Groups). Each work is called once before it is timed, so that compilation
// does not count, and then Repeats times; the median is what tables show. Nothing here is a test.
//
// Axis letters: B sets, N points, K clusters, H width of a layer, R candidate rows (package models).
package benchmarks

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"sort"
	"time"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// Result is one measured work. Times are seconds of wall time.
type Result struct {
	Group    string `json:"group"`
	Work     string `json:"work"`
	Model    string `json:"model,omitempty"`
	Weights  string `json:"weights,omitempty"` // of a decoding: the model that is shipped, or "initial": not trained
	Backend  string `json:"backend"`
	Data     string `json:"data,omitempty"` // "mnist", or nothing for mixtures
	Sets     int    `json:"sets"`           // B
	Points   int    `json:"points"`         // N
	Clusters int    `json:"clusters"`       // K of the data
	Samples  int    `json:"samples,omitempty"`

	// Found is the mean K of what was decoded, in a step of the negative sample: a decision costs K+1 rows.
	Found float64 `json:"found_clusters,omitempty"`

	First     float64   `json:"first_seconds,omitempty"` // the first call, which compiles
	Seconds   []float64 `json:"seconds"`                 // every repeat after it, sorted
	Median    float64   `json:"median"`                  // Seconds[len/2]
	PerPoint  float64   `json:"microseconds_per_point"`
	PerSecond float64   `json:"points_per_second,omitempty"`

	Memory uint64 `json:"heap_bytes,omitempty"` // live heap after the work, beside what was there before
	// most heap in use during the repeats, with garbage, beside what was there before
	Peak      uint64 `json:"peak_heap_bytes"`
	PeakLive  uint64 `json:"peak_live_heap_bytes"` // the same without garbage, as the garbage collector last saw it
	DataBytes uint64 `json:"data_bytes,omitempty"` // of one set: its points and labels

	Published float64 `json:"published_seconds,omitempty"`   // the published PyTorch code on such a machine
	Ratio     float64 `json:"published_over_ours,omitempty"` // how many times faster than published
	Floor     *Floor  `json:"floor,omitempty"`
}

// Report is a whole measurement.
type Report struct {
	SchemaVersion int       `json:"schema_version"`
	Machine       string    `json:"machine"`
	Cores         int       `json:"cores"`
	Processes     int       `json:"gomaxprocs"`
	Load          []float64 `json:"load_average,omitempty"` // at the start, over 1, 5 and 15 minutes
	Backend       string    `json:"backend"`
	SIMD          bool      `json:"simd"`
	Commit        string    `json:"commit"`
	Created       string    `json:"created"`
	Repeats       int       `json:"repeats"`
	Rates         *Rates    `json:"rates,omitempty"` // with the group "floor"
	Results       []Result  `json:"results"`
}

// publishedSeconds are the times of the published PyTorch code, measured for this project on a machine of two cores.
var publishedSeconds = map[string]float64{
	"step gfncp 64x75": 21, "step gfncp 16x300": 82, "greedy gfncp 64x75": 0.82, "greedy gfncp 16x300": 1.76,
}

// groups are the kinds of works in the order in which they run.
var groups = []struct {
	name  string
	works func(Suite) []work
}{
	{"compile", Suite.compileWorks},
	{"step", Suite.stepWorks},
	{"decode", Suite.decodeWorks},
	{"one-set", Suite.oneSetWorks},
	{"throughput", Suite.throughputWorks},
	{"parts", Suite.partWorks},
	{"floor", Suite.floorWorks},
	{"images", Suite.imageWorks},
}

// Groups lists the names of the kinds of works in the order in which they run.
func Groups() (names []string) {
	for _, g := range groups {
		names = append(names, g.name)
	}
	return names
}

// CheckGroups returns a usererr.Error for a group that is not one of Groups.
func CheckGroups(groups []string) error {
	for _, g := range groups {
		if !slices.Contains(Groups(), g) {
			return usererr.Unknown(g, Groups(), "no benchmarks are called %q", g)
		}
	}
	return nil
}

// Suite is what a measurement needs.
type Suite struct {
	Backend compute.Backend
	Name    string   // of the backend, for the results
	Groups  []string // those to measure; nil is all
	Repeats int      // timed calls of a work; one set of at least 100,000 points is timed once
	Sizes   Sizes

	Config func(model string) train.Config                           // what is trained; nil is train.Default
	Find   func(model string) (m *train.Model, name string, e error) // what is decoded; nil is Shipped

	Begin func(Result) // hears of each work before it starts, and
	Hear  func(Result) // of its result; either may be nil
}

// Run measures everything. Of the report it leaves Machine, Commit and Created to the caller.
func (s Suite) Run() (Report, error) {
	s = s.complete()
	report := Report{
		SchemaVersion: 1, Cores: runtime.NumCPU(), Processes: runtime.GOMAXPROCS(0),
		Load: loadAverage(), Backend: s.Name,
		SIMD: engine.SIMD(), Repeats: s.Repeats,
	}
	if err := CheckGroups(s.Groups); err != nil {
		return report, err
	}
	if slices.Contains(s.Groups, "floor") {
		rates, err := s.rates()
		if err != nil {
			return report, fmt.Errorf("rates of the machine: %w", err)
		}
		report.Rates = rates
	}
	for _, w := range s.works() {
		w.Backend = s.Name
		s.Begin(w.Result)
		var err error
		if !w.known || !w.copyFrom(report.Results) {
			err = s.measure(w, &w.Result)
		}
		if err == nil && w.count != nil {
			var count Count
			count, err = w.count()
			w.Floor = count.floor(*report.Rates, w.Median)
		}
		if err != nil {
			return report, fmt.Errorf("%s: %w", w.Work, err)
		}
		report.Results = append(report.Results, w.Result)
		s.Hear(w.Result)
	}
	return report, nil
}

// works lists what the chosen groups measure.
func (s Suite) works() (all []work) {
	for _, g := range groups {
		if slices.Contains(s.Groups, g.name) {
			all = append(all, g.works(s)...)
		}
	}
	return all
}

func (s Suite) complete() Suite {
	if s.Groups == nil {
		s.Groups = Groups()
	}
	if s.Config == nil {
		s.Config = train.Default
	}
	if s.Find == nil {
		s.Find = Shipped
	}
	nothing := func(Result) {}
	if s.Begin == nil {
		s.Begin = nothing
	}
	if s.Hear == nil {
		s.Hear = nothing
	}
	return s
}

// work is something to measure. The Result holds what is known beforehand.
type work struct {
	Result
	open     opener
	compile  bool                  // the first call is what counts, see firstCall
	together int                   // calls that are timed as one, of which each is a part; 0 is 1
	count    func() (Count, error) // for the floor
	known    bool                  // may stand in another group too, and is then measured once
}

// opener makes ready what a call needs. Opening and calling note in the Result what they find, but no times.
type opener func(*Result) (call func() error, err error)

// onBatches lists the works of each model on each shape.
func (s Suite) onBatches(shapes []Shape, works func(model string, shape Shape) []work) (all []work) {
	for _, model := range s.Sizes.Models {
		for _, shape := range shapes {
			all = append(all, works(model, shape)...)
		}
	}
	return all
}

// copyFrom takes the times of the same work in another group, and reports whether it was there.
func (w *work) copyFrom(results []Result) bool {
	for _, r := range results {
		if r.Work == w.Work && r.Sets == w.Sets && r.Points == w.Points &&
			r.Clusters == w.Clusters && r.Data == w.Data {
			r.Group, r.Floor = w.Group, nil
			w.Result = r
			return true
		}
	}
	return false
}

// measure opens a work and repeats its call after a first one, which compiles.
func (s Suite) measure(w work, r *Result) error {
	if w.compile {
		return firstCall(w, r)
	}
	call, err := w.open(r)
	if err != nil {
		return err
	}
	timed := func() (float64, error) {
		start := time.Now()
		for range max(1, w.together) {
			if err := call(); err != nil {
				return 0, err
			}
		}
		return time.Since(start).Seconds() / float64(max(1, w.together)), nil
	}
	if r.First, err = timed(); err != nil {
		return err
	}
	stop := watchHeap()
	defer stop(r)
	for range s.repeats(*r) {
		seconds, err := timed()
		if err != nil {
			return err
		}
		r.Seconds = append(r.Seconds, seconds)
	}
	r.finish()
	return nil
}

// timedOnce is the number of points from which one repeat of a set is enough: it lasts ten seconds and more.
const timedOnce = 100_000

func (s Suite) repeats(r Result) int {
	if r.Sets == 1 && r.Points >= timedOnce {
		return 1
	}
	return s.Repeats
}

// finish computes what follows from Seconds.
func (r *Result) finish() {
	sort.Float64s(r.Seconds)
	r.Median = r.Seconds[len(r.Seconds)/2]
	points := float64(r.Sets * r.Points * max(1, r.Samples))
	r.PerPoint = math.Round(r.Median/points*1e8) / 100
	r.PerSecond = math.Round(points / r.Median)
	if published, ok := publishedSeconds[fmt.Sprintf("%s %dx%d", r.Work, r.Sets, r.Points)]; ok {
		r.Published, r.Ratio = published, published/r.Median
	}
}

// heapEvery is the time between two looks; each costs some microseconds and stops nothing.
const heapEvery = 2 * time.Millisecond

// The heap in use, garbage included, and what the last garbage collection found alive.
const (
	heapInUse = "/memory/classes/heap/objects:bytes"
	heapLive  = "/gc/heap/live:bytes"
)

// watchHeap follows the heap until stop, which writes what was seen into a result, beside what was there before.
func watchHeap() (stop func(*Result)) {
	before := liveHeap()
	var peak, peakLive uint64
	look := func() {
		samples := []metrics.Sample{{Name: heapInUse}, {Name: heapLive}}
		metrics.Read(samples)
		peak, peakLive = max(peak, samples[0].Value.Uint64()), max(peakLive, samples[1].Value.Uint64())
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(heapEvery)
		defer tick.Stop()
		for {
			look()
			select {
			case <-end:
				return
			case <-tick.C:
			}
		}
	}()
	return func(r *Result) {
		close(end)
		<-ended
		look()
		after := liveHeap()
		beside := func(bytes uint64) uint64 { return max(bytes, before) - before }
		r.Memory, r.Peak, r.PeakLive = beside(after), beside(max(peak, after)), beside(max(peakLive, after))
	}
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// loadAverage reads how many processes have wanted a core over the last 1, 5 and 15 minutes; nil if unknown.
func loadAverage() []float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	load := make([]float64, 3)
	if _, err := fmt.Sscan(string(text), &load[0], &load[1], &load[2]); err != nil {
		return nil
	}
	return load
}
