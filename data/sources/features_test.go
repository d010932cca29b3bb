package sources

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/internal/usererr"
)

// imageNetLike is a pool of two points of each of n classes in two dimensions, of lengths other than 1, its points
// not in the order of the classes. Point i and class i%n lie at the angle i.
func imageNetLike(n int) *data.Pool {
	p := &data.Pool{Name: "in", D: 2}
	for c := range n {
		p.Classes = append(p.Classes, fmt.Sprint(c))
	}
	for i := range 2 * n {
		c := (i*7 + 3) % n // 7 has no factor in common with 50
		p.X = append(p.X, float32(3*math.Cos(float64(c))), float32(3*math.Sin(float64(c))))
		p.Labels = append(p.Labels, int32(c))
	}
	return p
}

// The halves of the classes share none, cover all, hold each point under its own class, and the vectors have length
// 1. Classes that are numbers are halved in their order, whatever the order of the points.
func TestFeatureSetHalves(t *testing.T) {
	whole := imageNetLike(50)
	dir := t.TempDir()
	folder := filepath.Join(dir, "imagenet")
	must.M(os.Mkdir(folder, 0o755))
	path := filepath.Join(folder, "in50.npy")
	testfiles.Features(t, path, whole.X, whole.D, whole.Labels)
	seen := map[string]bool{}
	for split, first := range map[string]int{data.SplitTrain: 0, data.SplitTest: 25} {
		p := must.M1(Load(dir, "IN50", split))
		if p.Name != "in50/"+split || p.Len() != 50 || len(p.Classes) != 25 {
			t.Errorf("%s: %d points of %d classes", p.Name, p.Len(), len(p.Classes))
		}
		for k, name := range p.Classes {
			if name != fmt.Sprint(first+k) || seen[name] {
				t.Errorf("%s: class %d is %q", p.Name, k, name)
			}
			seen[name] = true
		}
		for i, k := range p.Labels {
			angle, x := float64(first+int(k)), p.Point(i)
			if math.Abs(float64(x[0])-math.Cos(angle)) > 1e-5 || math.Abs(float64(x[1])-math.Sin(angle)) > 1e-5 {
				t.Fatalf("%s: point %d is %v, which is not at the angle of its class %v",
					p.Name, i, x, angle)
			}
		}
	}
	if len(seen) != 50 {
		t.Errorf("the halves have %d classes", len(seen))
	}
	status := must.M1(Verify("in50", dir))
	if len(status) != 1 || status[0].State != OK || status[0].Path != path {
		t.Errorf("%+v", status)
	}
}

// Classes with names are halved in order of first appearance.
func TestClassHalfByAppearance(t *testing.T) {
	p := &data.Pool{D: 1, X: []float32{1, 2, 3, 4, 5, 6}, Labels: []int32{0, 1, 3, 0, 4, 3}, Classes: []string{
		"z", "10", "none", "a", "b",
	}}
	train, test := classHalf(p, data.SplitTrain), classHalf(p, data.SplitTest)
	if !slices.Equal(train.Classes, []string{"z", "10"}) || !slices.Equal(train.X, []float32{1, 2, 4}) ||
		!slices.Equal(train.Labels, []int32{0, 1, 0}) {
		t.Errorf("train %+v", train)
	}
	if !slices.Equal(test.Classes, []string{"a", "b"}) || !slices.Equal(test.X, []float32{3, 5, 6}) ||
		!slices.Equal(test.Labels, []int32{0, 1, 0}) {
		t.Errorf("test %+v", test)
	}
}

// A set that is not there says how to make it and names the stand-in; one that is not what its name says is damaged.
func TestFeatureSetFaults(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "imagenet", "in100.npy")
	_, err := Load(dir, "in100", data.SplitTest)
	wantIs(t, err, ErrMissing)
	wantUserError(t, err, "in100 is not there", filepath.Dir(path), "python/features.py FOLDER "+path,
		"stand-in standin100")
	if err := Fetch(t.Context(), "in100", FetchOptions{Dir: dir}); !errors.Is(err, ErrMissing) {
		t.Errorf("Fetch gives %v", err)
	}
	if err := Fetch(t.Context(), "standin100", FetchOptions{Dir: dir}); err != nil {
		t.Error(err)
	}
	if got := must.M1(Verify("in100", dir)); len(got) != 1 || got[0].State != Missing || got[0].Path != path {
		t.Errorf("%+v", got)
	}
	if got := must.M1(Verify("standin100", dir)); len(got) != 1 || got[0].State != Synthetic ||
		got[0].File != "standin100" {
		t.Errorf("%+v", got)
	}
	_, err = Load(dir, "standin100", "valid")
	wantUserError(t, err, `no split "valid"`)

	must.M(os.Mkdir(filepath.Dir(path), 0o755))
	unlabelled, zero := imageNetLike(100), imageNetLike(100)
	unlabelled.Labels, unlabelled.Classes = nil, nil
	zero.X[6], zero.X[7] = 0, 0
	for want, p := range map[string]*data.Pool{
		"holds 50 classes, not the 100 of in100": imageNetLike(50),
		"holds no labels, which in100 needs":     unlabelled,
		"vector 3 is 0":                          zero,
	} {
		testfiles.Features(t, path, p.X, p.D, p.Labels)
		_, err := Load(dir, "in100", data.SplitTrain)
		wantUserError(t, err, path, want)
		if got := must.M1(Verify("in100", dir)); got[0].State != Damaged || !strings.Contains(got[0].Fault, want) {
			t.Errorf("%+v", got)
		}
	}
	if _, err := data.DataSet("in51"); !usererr.Is(err) ||
		!strings.Contains(err.Error(), "in50, in100, in200, standin50") {
		t.Errorf("in51: %v", err)
	}
}
