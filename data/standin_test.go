package data

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"
)

// standinPool is a half of a stand-in.
func standinPool(t *testing.T, name, split string) *Pool {
	t.Helper()
	d := must.M1(DataSet(name))
	return must.M1(d.Derive("", split))
}

func dot(a, b []float32) float64 { return floats.Dot(Float64s(a), Float64s(b)) }

// The stand-ins are the same numbers at every call, vectors of length 1 of classes that no two sets or splits share,
// and say what they are.
func TestStandins(t *testing.T) {
	first := map[float64]string{}
	for _, name := range []string{"standin50", "standin100"} {
		info, err := DataSet(name)
		if err != nil || !info.Synthetic || !strings.Contains(info.Title, "stand-in") {
			t.Errorf("%+v %v", info, err)
		}
		classes := map[string]bool{}
		for _, split := range []string{SplitTrain, SplitTest} {
			p := standinPool(t, name, split)
			if !strings.HasPrefix(p.Name, name+"/"+split) || !strings.Contains(p.Name, "stand-in") {
				t.Errorf("the pool is called %q", p.Name)
			}
			if err := p.Check(); err != nil || p.D != FeatureDim || p.Len() != info.Train ||
				len(p.Classes) != info.TrainClasses {
				t.Fatalf("%s: %d points of %d classes, %v", p.Name, p.Len(), len(p.Classes), err)
			}
			for i := range p.Len() {
				if square := dot(p.Point(i), p.Point(i)); math.Abs(square-1) > 1e-5 {
					t.Fatalf("%s: point %d has length %v", p.Name, i, math.Sqrt(square))
				}
			}
			cosine := dot(p.Point(0), p.Point(1)) // it stays if the same points are only rotated
			for other, name := range first {
				if math.Abs(other-cosine) < 1e-5 {
					t.Errorf("%s begins as %s does", p.Name, name)
				}
			}
			first[cosine] = p.Name
			for _, class := range p.Classes {
				if classes[class] {
					t.Errorf("%s: class %q is in both splits", name, class)
				}
				classes[class] = true
			}
			if name != "standin50" {
				continue
			}
			if again := standinPool(t, name, split); !slices.Equal(again.X, p.X) ||
				!slices.Equal(again.Labels, p.Labels) {
				t.Errorf("%s is not the same twice", p.Name)
			}
		}
		if len(classes) != info.TrainClasses+info.TestClasses {
			t.Errorf("%s: %d classes", name, len(classes))
		}
	}
}

// The numbers of standin50 are pinned, so that results on it stay comparable: three of them, and the sum of all
// fourth powers, which a change of the spectra would move.
func TestStandinNumbers(t *testing.T) {
	p := standinPool(t, "standin50", SplitTest)
	got := []float64{float64(p.X[0]), float64(p.X[len(p.X)/2]), float64(p.X[len(p.X)-1]), 0}
	for _, v := range p.X {
		got[3] += math.Pow(float64(v), 4)
	}
	for i, want := range []float64{-0.0224611219, -0.0149501543, -0.0104143657, 20.3672266} {
		if math.Abs(got[i]-want) > 1e-6*math.Abs(want) {
			t.Errorf("number %d is %.9g, want %.9g", i, got[i], want)
		}
	}
}
