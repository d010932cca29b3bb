package benchmarks

import (
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/internal/usererr"
	_ "github.com/gfncp/gfncp/pretrained"
)

// BenchmarkWorks measures every work at the recorded shapes; preparing and compiling are not in it. Choose with -bench,
// for example -bench 'Works/Decode/st'.
func BenchmarkWorks(b *testing.B) {
	for _, w := range Works() {
		if w.Images {
			continue
		}
		b.Run(w.Name, func(b *testing.B) {
			call := must.M1(w.Open(enginetest.Go()))
			must.M1(call())
			for b.Loop() {
				must.M1(call())
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(w.Points), "µs/point")
		})
	}
}

// Works have names of their own; energy networks tell what a step holds. Those that decode say how many clusters they
// found.
func TestWorks(t *testing.T) {
	var names []string
	for _, w := range Works() {
		if slices.Contains(names, w.Name) || w.Points < 100 {
			t.Errorf("%s, %d points", w.Name, w.Points)
		}
		names = append(names, w.Name)
		isEstimated := strings.HasPrefix(w.Name, "Step") && strings.Contains(w.Name, "ncp/")
		if isEstimated != (w.Holds > 0) {
			t.Errorf("%s holds %g bytes", w.Name, w.Holds)
		}
		if w.Reads == "" || w.Points > 1000 {
			continue
		}
		if found := must.M1(must.M1(w.Open(enginetest.Go()))()); found < 1 {
			t.Errorf("%s found %g clusters", w.Name, found)
		}
	}
	if _, err := Shipped("kind"); !usererr.Is(err) {
		t.Errorf("a model that is not there: %v", err)
	}
}

// The peak of resident memory begins anew and sees what is written.
func TestPeak(t *testing.T) {
	if !ResetPeak() {
		t.Skip("the peak cannot be reset on this system")
	}
	before := Peak()
	const size = 64 << 20
	block := make([]byte, size)
	for i := range block {
		block[i] = byte(i)
	}
	if grown := Peak() - before; grown < size*3/4 || block[77] != 77 {
		t.Errorf("64 MiB raise the peak of %g bytes by %g", before, grown)
	}
}
