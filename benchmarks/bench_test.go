package benchmarks

import (
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/internal/usererr"
	_ "github.com/gfncp/gfncp/pretrained"
	"github.com/gfncp/gfncp/train"
)

// BenchmarkWorks measures every work at the recorded shapes; preparing and compiling are not in it. Choose with -bench,
// for example -bench 'Works/Decode/st'.
func BenchmarkWorks(b *testing.B) {
	for _, w := range Works(DefaultSizes()) {
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

// Every group has works, each under a name of its own; those that decode say how many clusters they found.
func TestWorks(t *testing.T) {
	sizes := Sizes{
		Models: train.Models(), Batches: []Shape{{2, 6, 2}}, Large: []int{12}, Clusters: []int{2}, Images: true,
	}
	var names, groups []string
	for _, w := range Works(sizes) {
		if slices.Contains(names, w.Name) || w.Points < 12 {
			t.Errorf("%s, %d points", w.Name, w.Points)
		}
		names, groups = append(names, w.Name), append(groups, w.Group)
		if w.Group != "decode" && w.Group != "one-set" {
			if energies := !strings.Contains(w.Name, "/st/") && !strings.Contains(w.Name, "/dac/") &&
				!strings.Contains(w.Name, "/ccp/"); energies != (w.Holds > 0) {
				t.Errorf("%s holds %g bytes", w.Name, w.Holds)
			}
			continue
		}
		if found := must.M1(must.M1(w.Open(enginetest.Go()))()); found < 1 {
			t.Errorf("%s found %g clusters", w.Name, found)
		}
	}
	if got := slices.Compact(groups); !slices.Equal(got, Groups()) {
		t.Errorf("groups %q", got)
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

func TestParseShape(t *testing.T) {
	if s := must.M1(ParseShape("16x512")); s != (Shape{16, 512, 4}) || s.String() != "16x512" {
		t.Errorf("%+v", s)
	}
	if _, err := Shipped("kind"); !usererr.Is(err) {
		t.Errorf("a model that is not there: %v", err)
	}
	for _, bad := range []string{"16", "x", "0x9", "9x3", "16x5x"} {
		if _, err := ParseShape(bad); !usererr.Is(err) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
