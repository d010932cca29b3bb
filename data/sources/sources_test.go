package sources

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
)

func TestLoadTiny(t *testing.T) {
	d, contents := tinyData()
	dir := t.TempDir()
	for name, content := range contents { // packed and plain, whatever the name says
		write(t, packed(content), dir, "tiny-folder", name)
	}
	write(t, contents["train-labels-idx1-ubyte"], dir, "tiny-folder", "train-labels-idx1-ubyte.gz")
	p := must.M1(load(d, dir, data.SplitTrain))
	if want := []float32{0, 1, 0.2, 0.4}; !slices.Equal(p.X, want) { // 51/255 and 102/255
		t.Errorf("X %v, want %v", p.X, want)
	}
	if !slices.Equal(p.Labels, []int32{1, 0}) || p.Name != "tiny/train" ||
		p.D != 2 || p.Height != 1 || p.Width != 2 || len(p.Classes) != 2 {
		t.Errorf("pool %+v", p)
	}
	_, err := load(d, dir, "half")
	wantUserError(t, err, `no split "half"`, "train or test")
	swapped := d.Files[data.SplitTest]
	swapped.Images, swapped.Labels = swapped.Labels, swapped.Images
	d.Files[data.SplitTest] = swapped
	if _, err := load(d, dir, data.SplitTest); err == nil || !strings.Contains(err.Error(), "fit together") {
		t.Errorf("labels as images: %v", err)
	}
}

func TestLoadFaults(t *testing.T) {
	d, contents := tinyData()
	dir := t.TempDir()
	_, err := load(d, dir, data.SplitTest)
	wantIs(t, err, ErrMissing)
	wantUserError(t, err, "t10k-images-idx3-ubyte", filepath.Join(dir, "tiny-folder"),
		"gfncp data fetch tiny", "GFNCP_DATA")

	name := "t10k-images-idx3-ubyte"
	changed := bytes.Clone(contents[name])
	changed[len(changed)-1]++
	for _, test := range []struct {
		content []byte
		want    string
	}{
		{changed, "has SHA-256"},
		{contents[name][:17], "has SHA-256"}, // 16 of header and 2 pixels
		{append(bytes.Clone(contents[name]), 0), "has SHA-256"},
		{packed(contents[name])[:20], "cut short"},
		{[]byte{0x1f, 0x8b, 8}, "cut short"},
		{nil, "has SHA-256"},
	} {
		path := write(t, test.content, dir, "tiny-folder", name+".gz")
		_, err := load(d, dir, data.SplitTest)
		wantIs(t, err, ErrDamaged)
		wantUserError(t, err, path, test.want, "gfncp data fetch tiny")
	}
}

func TestVerify(t *testing.T) {
	d, contents := tinyData()
	dir := t.TempDir()
	folder := filepath.Join(dir, d.Folder)
	good := write(t, contents["train-images-idx3-ubyte"], folder, "train-images-idx3-ubyte")
	bad := write(t, []byte("\n<!DOCTYPE html>"), folder, "train-labels-idx1-ubyte.gz")
	got := must.M1(verify(d, dir))
	want := []FileStatus{
		{"train-images-idx3-ubyte", good, OK, ""},
		{"train-labels-idx1-ubyte", bad, Damaged, got[1].Fault},
		{"t10k-images-idx3-ubyte", filepath.Join(folder, "t10k-images-idx3-ubyte.gz"), Missing, ""},
		{"t10k-labels-idx1-ubyte", filepath.Join(folder, "t10k-labels-idx1-ubyte.gz"), Missing, ""},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	must.M(os.Remove(bad))
	must.M(os.Mkdir(bad, 0o755))
	if _, err := verify(d, dir); !usererr.Is(err) || !strings.Contains(err.Error(), bad+": is a folder") {
		t.Errorf("a folder in a file's place gives %v", err)
	}
}

func TestDir(t *testing.T) {
	t.Setenv("GFNCP_DATA", "/some/where")
	if dir, err := Dir(); dir != "/some/where" || err != nil {
		t.Error(dir, err)
	}
	d := must.M1(data.DataSet("fmnist"))
	if folder, err := folderOf(d, ""); folder != filepath.Join("/some/where", "fashion-mnist") || err != nil {
		t.Error(folder, err)
	}
	t.Setenv("GFNCP_DATA", "")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("this machine knows no cache folder")
	}
	if dir, err := Dir(); dir != filepath.Join(cache, "gfncp") || err != nil {
		t.Error(dir, err)
	}
}
