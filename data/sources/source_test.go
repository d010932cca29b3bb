package sources

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/testfiles"
)

// pictureFolder writes eight images, four in each of the sub-folders "one" and "two".
func pictureFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i, path := range filesIn(testfiles.Images(t)) {
		write(t, must.M1(os.ReadFile(path)), dir, []string{"one", "two"}[i%2], filepath.Base(path))
	}
	return dir
}

// smallImages are settings for a file of a few images.
func smallImages(path string) data.Config {
	c := data.Default(data.SourceFile)
	c.Path, c.Batch, c.NMin, c.NMax = path, 2, 4, 6
	return c
}

// TestSourceOfFolder reads a folder of images with classes, once for both modes and for PoolOf.
func TestSourceOfFolder(t *testing.T) {
	c := smallImages(pictureFolder(t))
	instance := must.M1(Source(c))
	// no cluster of more than 2
	c.Mode, c.Stream, c.Split, c.NMin, c.NMax = data.ModeGenerative, "test", data.SplitTest, 3, 3
	generative := must.M1(Source(c))
	pool := instance.(*data.PoolSource).Pool()
	if pool.Len() != 8 || !pool.IsImages() || len(pool.Classes) != 2 || instance.Dim() != 28*28 {
		t.Errorf("pool of %d points, %d×%d pixels, classes %v", pool.Len(), pool.Height, pool.Width, pool.Classes)
	}
	if again := must.M1(PoolOf(c)); again != pool || generative.(*data.PoolSource).Pool() != pool {
		t.Error("two sources on one folder do not share its pool")
	}
	batch := must.M1(generative.Batch(1, 0))
	for b := range batch.B {
		set := batch.Slice(b, b+1)
		for i, label := range set.Labels {
			if (pool.Labels[set.Index[i]] == pool.Labels[set.Index[0]]) != (label == 0) {
				t.Errorf("labels %v of the points %v are not their classes", set.Labels, set.Index)
			}
		}
	}
}

func TestSourceOfVectors(t *testing.T) {
	path := write(t, npyBytes("|u1", "6, 2", []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), t.TempDir(), "v.npy")
	c := data.DefaultVectors(path, 2)
	c.Batch, c.NMin, c.NMax = 2, 4, 6
	batch, err := must.M1(Source(c)).Batch(1, 0)
	if err != nil || batch.D != 2 || batch.Views != nil {
		t.Errorf("vectors gave %+v, %v", batch, err)
	}
	_, err = Source(smallImages(path))
	wantUserError(t, err, path, "coordinates")
	c.Mode = data.ModeGenerative
	source, err := Source(c)
	wantUserError(t, err, path, "no known classes")
	if source != nil {
		t.Errorf("a fault gave the source %v", source)
	}
}

func TestSourceFaults(t *testing.T) {
	t.Setenv("GFNCP_DATA", t.TempDir())
	_, err := Source(data.Config{Source: data.SourceMoG})
	wantUserError(t, err, "batch is 0", "sigma_x is 0")
	_, err = Source(data.Default(data.SourceMNIST))
	wantIs(t, err, ErrMissing)
	_, err = PoolOf(data.Default(data.SourceFashion))
	wantIs(t, err, ErrMissing)

	// A fault is not kept: once the file is there, it is read.
	path := filepath.Join(t.TempDir(), "v.npy")
	c := data.DefaultVectors(path, 2)
	c.Batch, c.NMin, c.NMax = 1, 2, 2
	_, err = Source(c)
	wantUserError(t, err, path, "no such file")
	wantIs(t, err, os.ErrNotExist)
	write(t, npyBytes("|u1", "3, 2", []byte{1, 2, 3, 4, 5, 6}), path)
	if _, err := Source(c); err != nil {
		t.Error(err)
	}
	c.Path = write(t, []byte("1,2\n,3\n"), t.TempDir(), "gap.csv")
	pool, err := PoolOf(c)
	wantUserError(t, err, c.Path, "the cell holds no number")
	if pool != nil {
		t.Error("points that cannot be read gave a pool")
	}
}

// Training sets on the known classes and test sets on the others can be drawn, for every set, without a data folder
// for the stand-ins.
func TestStandinSource(t *testing.T) {
	t.Setenv(DirEnv, "")
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	c := data.Default("standin50")
	c.Batch = 4
	for _, c := range []data.Config{c, c.HeldOut(1, 50, 0), c.HeldOut(1, 50, 5)} {
		source := must.M1(Source(c))
		pool := source.(*data.PoolSource).Pool()
		if c.Mode == data.ModeGenerative && !strings.HasPrefix(pool.Name, "standin50/test") {
			t.Errorf("test sets come from %s", pool.Name)
		}
		batch := must.M1(source.Batch(1, 0))
		sum := 0.0
		for _, v := range batch.X {
			sum += float64(v) * float64(v)
		}
		// A coordinate has the variance 400/384 around the origin, and noise of variance 1 and dropout in training.
		low, high := 0.7, 1.1
		if c.Mode == data.ModeInstance {
			low, high = 1.3, 2.1
		}
		if mean := sum / float64(len(batch.X)); mean < low || mean > high {
			t.Errorf("%s: mean square %v, want %v to %v", c, mean, low, high)
		}
		if k := c.FixedK; k > 0 && int(slices.Max(batch.Labels)) != k-1 {
			t.Errorf("%d clusters, want %d", slices.Max(batch.Labels)+1, k)
		}
	}
}
