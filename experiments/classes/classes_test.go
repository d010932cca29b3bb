package classes

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

var halves = []string{data.SplitTrain, data.SplitTest}

// The halves of each part are five classes and the other five; the numbers of split 1 are part of the data.
func TestHalves(t *testing.T) {
	for split := 1; split <= Splits; split++ {
		for _, part := range parts {
			trained, tested := half(split, part, data.SplitTrain), half(split, part, data.SplitTest)
			both := slices.Sorted(slices.Values(slices.Concat(trained, tested)))
			if len(trained) != 5 || !slices.Equal(both, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
				t.Errorf("split %d of %s: %v and %v", split, part, trained, tested)
			}
		}
	}
	digits, clothes := half(1, parts[0], data.SplitTrain), half(1, parts[1], data.SplitTrain)
	if !slices.Equal(digits, []int32{0, 4, 5, 6, 7}) || !slices.Equal(clothes, []int32{2, 3, 4, 6, 7}) {
		t.Errorf("split 1 trains on %v and %v", digits, clothes)
	}
}

// Of a pool whose images tell their class, the named classes alone are taken, and numbered on.
func TestAdd(t *testing.T) {
	pool := &data.Pool{Name: "pool", D: 2, Height: 1, Width: 2, Classes: []string{"a", "b", "c", "d"}}
	for i := range int32(40) {
		pool.X = append(pool.X, float32(i%4), float32(i))
		pool.Labels = append(pool.Labels, i%4)
	}
	all := &data.Pool{Name: "all", Height: 1, Width: 2}
	must.M(add(all, pool, []int32{3}))
	must.M(add(all, pool, []int32{0, 2}))
	must.M(all.Check())
	if all.Len() != 30 || !slices.Equal(all.Classes, []string{"d", "a", "c"}) {
		t.Errorf("%d images of %v", all.Len(), all.Classes)
	}
	for i, label := range all.Labels {
		if want := float32([]int{3, 0, 2}[label]); all.Point(i)[0] != want {
			t.Errorf("image %d, labelled %d, is of class %v, not %v", i, label, all.Point(i)[0], want)
		}
	}
	if other := (&data.Pool{Name: "other", Height: 2, Width: 2}); add(other, pool, nil) == nil {
		t.Error("images of another size were added")
	}
}

// The sources are known to configurations, and no file of theirs is asked for but those of MNIST and Fashion-MNIST.
func TestSources(t *testing.T) {
	t.Setenv(sources.DirEnv, t.TempDir())
	for split := 1; split <= Splits; split++ {
		for _, name := range []string{Name(split), ImagesName(split)} {
			c := train.DefaultOn(train.GFNCP, name)
			must.M(c.Validate())
			if _, err := sources.PoolOf(c.Data); !errors.Is(err, sources.ErrMissing) {
				t.Errorf("%s without files: %v", name, err)
			}
			files := must.M1(sources.Verify(name, ""))
			if len(files) != 8 || files[0].State != sources.Missing {
				t.Errorf("%s is made of %+v", name, files)
			}
		}
	}
	err := sources.Fetch(context.Background(), Name(1), sources.FetchOptions{Dir: t.TempDir(), Offline: true})
	if !errors.Is(err, sources.ErrMissing) || !strings.Contains(err.Error(), "gfncp data fetch mnist") {
		t.Errorf("to fetch %s, offline: %v", Name(1), err)
	}
	if _, err := sources.Folder(Name(1), ""); !usererr.Is(err) {
		t.Errorf("the folder of %s: %v", Name(1), err)
	}
	if c := train.DefaultOn(train.NCP, "classes1"); c.Data.NMax != nMax || c.Net.Dim != Dim || !c.Data.IsVectors() {
		t.Errorf("the default of features is %s", c)
	}
}

// pool reads a half, where the data is at hand.
func pool(t *testing.T, source, which string) *data.Pool {
	t.Helper()
	c := data.Default(source)
	c.Split = which
	p, err := sources.PoolOf(c)
	if errors.Is(err, sources.ErrMissing) {
		t.Skip("set GFNCP_DATA to a folder with MNIST and Fashion-MNIST to run this test")
	}
	return must.M1(p, err)
}

// Each image of a half is, in the order of the files, the next one of the half's classes, training images in the
// training half and test images in the other; no class is in both.
func TestImages(t *testing.T) {
	for _, which := range halves {
		images, at := pool(t, ImagesName(1), which), 0
		for p, part := range parts {
			classes, from := half(1, part, which), must.M1(sources.Load(part, which))
			for i, label := range from.Labels {
				k := slices.Index(classes, label)
				if k < 0 {
					continue
				}
				if int(images.Labels[at]) != p*perPart+k || !slices.Equal(images.Point(at), from.Point(i)) {
					t.Fatalf("%s: image %d is not image %d of %s", images.Name, at, i, from.Name)
				}
				at++
			}
		}
		if at != images.Len() || len(images.Classes) != 2*perPart {
			t.Errorf("%s: %d of %d images, %d classes", images.Name, at, images.Len(), len(images.Classes))
		}
	}
	trained, tested := pool(t, ImagesName(1), data.SplitTrain), pool(t, ImagesName(1), data.SplitTest)
	for _, class := range trained.Classes {
		if slices.Contains(tested.Classes, class) {
			t.Errorf("%s is in both halves", class)
		}
	}
}
