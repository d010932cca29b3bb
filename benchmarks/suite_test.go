package benchmarks

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	_ "github.com/gfncp/gfncp/pretrained"
	"github.com/gfncp/gfncp/train"
)

var goBackend = sync.OnceValue(func() compute.Backend { return must.M1(must.M1(engine.Choose("go")).Open()) })

// tinyConfig is a model of any kind with layers of a few units.
func tinyConfig(kind string) train.Config {
	c := train.Default(kind)
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 8, 8, 8
	if c.IsPeer() {
		c.Peer.Width, c.Peer.Heads, c.Peer.Inducing, c.Peer.Clusters = 8, 2, 3, 3
		c.Peer.Latent, c.Peer.Samples = 4, 2
		if kind == train.ST {
			c.Data.FixedK = 3
		}
	}
	return c
}

func tinyModel(kind string) (*train.Model, string, error) {
	c := tinyConfig(kind)
	return &train.Model{Config: c, Params: c.Layout().Init(data.Rand(1, "init", 0))}, "initial", nil
}

func tinySuite() Suite {
	return Suite{
		Backend: goBackend(), Name: "go", Repeats: 3, Config: tinyConfig, Find: tinyModel,
		Sizes: Sizes{
			Models: train.Models(), Batches: []Shape{{3, 6, 2}}, Large: []int{5, 12}, Clusters: []int{2, 6},
			Many: Shape{4, 5, 2}, Sampled: Shape{2, 5, 2}, Samples: 3, Matrix: 16, Copy: 1024,
		},
	}
}

// report is the whole suite at tiny shapes, measured once for all tests.
var tinyReport = sync.OnceValue(func() Report { return must.M1(tinySuite().Run()) })

func TestSuiteMeasuresEveryGroup(t *testing.T) {
	report := tinyReport()
	if report.SchemaVersion != 1 || report.Backend != "go" || report.Repeats != 3 || report.Cores < 1 ||
		report.Processes < 1 {
		t.Errorf("the report's head is %+v", report)
	}
	count := map[string]int{}
	for _, r := range report.Results {
		count[r.Group]++
	}
	want := map[string]int{
		"compile": 2 * 5, "step": 5, "decode": 5, // five models, one batch
		"one-set":    2 * (2 + 1), // two policies; K = 2 in 5 and 12 points, K = 6 in 12
		"throughput": 2, "parts": 8,
		"floor": 2 + 2, // a step and a decoding step on the batch, a decoding step for each K
	}
	for _, g := range Groups() {
		if count[g] != want[g] {
			t.Errorf("group %s has %d results, want %d", g, count[g], want[g])
		}
	}
}

func TestResultsAreConsistent(t *testing.T) {
	for _, r := range tinyReport().Results {
		if r.Backend != "go" || r.Model == "" || r.Sets < 1 || r.Points < 1 || r.Clusters < 1 {
			t.Errorf("%s: incomplete: %+v", r.Work, r)
		}
		if r.Group == "compile" {
			if len(r.Seconds) != 1 || r.First < r.Median {
				t.Errorf("%s: first call %v, of which %v compile", r.Work, r.First, r.Seconds)
			}
			continue
		}
		if len(r.Seconds) != 3 || !slices.IsSorted(r.Seconds) || r.Median != r.Seconds[1] || r.Seconds[0] <= 0 ||
			r.First <= 0 {
			t.Errorf("%s: first call %v, seconds %v, median %v", r.Work, r.First, r.Seconds, r.Median)
		}
		points := float64(r.Sets * r.Points * max(1, r.Samples))
		if math.Abs(r.PerPoint-1e6*r.Median/points) > 0.0051 || math.Abs(r.PerSecond*r.Median-points) > r.Median {
			t.Errorf("%s: %v points in %v s, but %v µs a point and %v points a second",
				r.Work, points, r.Median, r.PerPoint,
				r.PerSecond)
		}
		if r.Peak < r.Memory || r.PeakLive < r.Memory {
			t.Errorf("%s: peaks %d and %d below the %d that were left", r.Work, r.Peak, r.PeakLive, r.Memory)
		}
	}
}

func TestDecodingsSayWhatTheyFound(t *testing.T) {
	for _, r := range tinyReport().Results {
		switch {
		case r.Group == "decode" || r.Group == "one-set" || r.Group == "throughput":
			if r.Weights != "initial" || r.Found < 1 || r.Found > float64(r.Points) {
				t.Errorf("%s: weights %q found %v clusters", r.Work, r.Weights, r.Found)
			}
		}
		if r.Work == "one set" && r.Found != float64(r.Clusters) {
			t.Errorf("along the labels %v clusters were found of %d", r.Found, r.Clusters)
		}
		if r.Group == "one-set" && r.DataBytes != uint64(r.Points*(2*4+4)) { // two coordinates and a label
			t.Errorf("%s: %d bytes of data for %d points", r.Work, r.DataBytes, r.Points)
		}
	}
}

// The whole step stands in three groups and is measured once.
func TestKnownWorksAreMeasuredOnce(t *testing.T) {
	var groups []string
	var seconds [][]float64
	for _, r := range tinyReport().Results {
		if r.Work == "step gfncp" {
			groups, seconds = append(groups, r.Group), append(seconds, r.Seconds)
		}
	}
	if !slices.Equal(groups, []string{"step", "parts", "floor"}) || !slices.Equal(seconds[0], seconds[1]) ||
		!slices.Equal(seconds[0], seconds[2]) {
		t.Errorf("groups %v, times %v", groups, seconds)
	}
}

func TestPublishedTimesGiveRatios(t *testing.T) {
	r := Result{Work: "greedy gfncp", Sets: 64, Points: 75, Seconds: []float64{0.4, 0.1, 0.2}}
	r.finish()
	if r.Median != 0.2 || r.Published != 0.82 || math.Abs(r.Ratio-4.1) > 1e-12 { // 0.82 / 0.2
		t.Errorf("median %v, published %v, ratio %v", r.Median, r.Published, r.Ratio)
	}
	r = Result{Work: "greedy ncp", Sets: 64, Points: 75, Seconds: []float64{1}}
	if r.finish(); r.Published != 0 || r.Ratio != 0 {
		t.Errorf("no time was published for %s, but it has %v", r.Work, r.Published)
	}
}

func TestFloorsFollowFromCountsAndRates(t *testing.T) {
	report := tinyReport()
	if r := report.Rates; r == nil || r.MultiplyAdds <= 0 || r.Copy <= 0 || r.HostCopy <= 0 ||
		r.Memory != max(r.Copy, r.HostCopy) {
		t.Fatalf("rates %+v", r)
	}
	for _, r := range report.Results {
		if (r.Floor != nil) != (r.Group == "floor") {
			t.Fatalf("%s of group %s: floor %v", r.Work, r.Group, r.Floor)
		}
		if f := r.Floor; f != nil {
			least := max(f.MultiplyAdds/report.Rates.MultiplyAdds, f.Bytes/report.Rates.Memory)
			if f.Seconds != least || f.Ratio != r.Median/least || f.MultiplyAdds <= 0 || f.Bytes <= 0 {
				t.Errorf("%s: %+v with rates %+v", r.Work, f, report.Rates)
			}
		}
	}
}

// The counts for H = 2, D = 1, written out.
func TestCounts(t *testing.T) {
	c := models.Config{Dim: 1, Hidden: 2}
	// One row: g has 5 layers 2→2, f four and one 2→1. 9·4 + 2 multiply-adds; each layer moves in + out + in·out
	// floats.
	if got, want := scoreCount(c, 1), (Count{38, 4 * (9*(2+2+4) + (2 + 1 + 2))}); got != want {
		t.Errorf("decoding step: %+v, want %+v", got, want)
	}
	// The encoder 1→2→2→2→2→2 on 3 rows: forward 3·(2 + 4·4). Backward by the weights as much, by the inputs without
	// the first layer.
	if got, want := layers(3, encoderWidths(c)...).MultiplyAdds, 54.0; got != want {
		t.Errorf("encoder: %v, want %v", got, want)
	}
	if got, want := backward(3, true, encoderWidths(c)...).MultiplyAdds, 54.0+48; got != want {
		t.Errorf("encoder backward: %v, want %v", got, want)
	}
	// A step with M = 3 points, R = 5 rows, a negative sample with 4 rows in 1 cluster: encoders 2·(2·54 + 102),
	// negative sample 4·38, candidates 3·5·38, final energy 3·38.
	sizes := stepSizes{points: 3, rows: 5, sampledRows: 4, sampledSets: 1, sampledClusters: 1}
	if got, want := stepCount(c, sizes).MultiplyAdds, 420.0+152+570+114; got != want {
		t.Errorf("step: %v, want %v", got, want)
	}
}

func TestCandidateRows(t *testing.T) {
	if rows := must.M1(candidateRows([]int32{0, 0, 1, 0}, 1, 4)); rows != 8 { // 1, 2, 2 and 3 candidates
		t.Errorf("%d candidate rows, want 8", rows)
	}
}

func TestLargeSetsAreTimedOnce(t *testing.T) {
	s := Suite{Repeats: 5}
	for r, want := range map[*Result]int{
		{Sets: 1, Points: 100_000}: 1, {Sets: 1, Points: 10_000}: 5,
		{Sets: 1000, Points: 100_000}: 5,
	} {
		if got := s.repeats(*r); got != want {
			t.Errorf("%d sets of %d points: %d repeats, want %d", r.Sets, r.Points, got, want)
		}
	}
}

// Steps on images need MNIST on disk, so they are only listed here.
func TestImageWorks(t *testing.T) {
	s := tinySuite()
	s.Groups, s.Sizes.Images = []string{"images"}, []Shape{{2, 8, 2}}
	works := s.complete().works()
	if len(works) != 5 {
		t.Fatalf("%d works, want one for each of five models", len(works))
	}
	for _, w := range works {
		want := 2
		if w.Model == train.ST {
			want = 6 // its published K
		}
		if w.Data != data.SourceMNIST || w.Sets != 2 || w.Points != 8 || w.Clusters != want {
			t.Errorf("%+v", w.Result)
		}
	}
}

func TestLargestSetsOfTheSuite(t *testing.T) {
	s := Suite{Sizes: Sizes{Large: []int{10_000, 100_000, 1_000_000}, Clusters: []int{6, 50}}}
	var got []string
	for _, w := range s.oneSetWorks() {
		got = append(got, fmt.Sprintf("%s %d %d", w.Work, w.Points, w.Clusters))
	}
	want := []string{
		"one set 10000 6", "one set greedy 10000 6", "one set 100000 6", "one set greedy 100000 6",
		"one set greedy 1000000 6",
		"one set 10000 50", "one set greedy 10000 50", "one set 100000 50",
	}
	if !slices.Equal(got, want) {
		t.Errorf("works %q, want %q", got, want)
	}
}

func TestUnknownGroup(t *testing.T) {
	s := tinySuite()
	s.Groups = []string{"step", "steps"}
	if _, err := s.Run(); !usererr.Is(err) {
		t.Errorf("an unknown group gives %v", err)
	}
}

func TestShippedWeights(t *testing.T) {
	for kind, want := range map[string]string{train.GFNCP: "mog-gfncp", train.NCP: "mog-ncp"} {
		m, name, err := Shipped(kind)
		if err != nil || name != want || m.Config.Model != kind {
			t.Errorf("shipped for %s: %q, %v", kind, name, err)
		}
	}
}

func TestReportAndPicturesOnDisk(t *testing.T) {
	report := tinyReport()
	text := must.M1(json.Marshal(report))
	var back Report
	must.M(json.Unmarshal(text, &back))
	if len(back.Results) != len(report.Results) || back.Results[0].Median != report.Results[0].Median {
		t.Error("the report changes on its way through JSON")
	}
	dir := t.TempDir()
	paths := must.M1(report.Pictures(dir))
	want := []string{"time-per-point.svg", "time-per-point.png", "decoding.svg", "decoding.png"}
	for i, path := range paths {
		if info, err := os.Stat(path); i >= len(want) || path != filepath.Join(dir, want[i]) || err != nil ||
			info.Size() < 1000 {
			t.Errorf("picture %d is %s: %v", i, path, err)
		}
	}
	if len(paths) != len(want) {
		t.Errorf("%d pictures, want %d", len(paths), len(want))
	}
	if paths := must.M1((Report{}).Pictures(dir)); len(paths) != 0 {
		t.Errorf("an empty report draws %v", paths)
	}
}
