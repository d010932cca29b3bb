package benchmarks

import (
	"fmt"
	"testing"

	"github.com/gfncp/gfncp/train"
)

// BenchmarkWorks runs every work of the suite at small shapes with networks of the published sizes, and reports the
// median of a call; preparing and compiling are not in it. Choose with -bench, for example -bench 'Works/decode/.*st'.
//
// Training steps and decoding of the energy networks at the recorded shapes are also BenchmarkStep of package train,
// BenchmarkGreedy and BenchmarkOneSet of package sampling.
func BenchmarkWorks(b *testing.B) {
	s := Suite{Backend: goBackend(), Name: "go", Repeats: 1, Sizes: Sizes{
		Models: train.Models(), Batches: []Shape{{8, 30, 4}}, Large: []int{300}, Clusters: []int{6, 50},
		Many: Shape{32, 20, 4}, Sampled: Shape{2, 20, 4}, Samples: 20,
	}}.complete()
	for _, w := range s.works() {
		name := fmt.Sprintf("%s/%s/B=%d,N=%d,K=%d", w.Group, w.Work, w.Sets, w.Points, w.Clusters)
		b.Run(name, func(b *testing.B) { benchmarkWork(b, s, w.Group, name) })
	}
}

// benchmarkWork looks the work up in a suite that repeats it b.N times.
func benchmarkWork(b *testing.B, s Suite, group, name string) {
	s.Groups, s.Repeats = []string{group}, b.N
	for _, w := range s.works() {
		if fmt.Sprintf("%s/%s/B=%d,N=%d,K=%d", w.Group, w.Work, w.Sets, w.Points, w.Clusters) != name {
			continue
		}
		r := w.Result
		if err := s.measure(w, &r); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(r.Median*1e9, "ns/op")
		b.ReportMetric(r.PerPoint, "µs/point")
		b.ReportMetric(float64(r.Peak), "peak-heap-bytes")
	}
}
