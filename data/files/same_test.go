package files

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/parquet-go/parquet-go"

	"github.com/gfncp/gfncp/internal/fileio"
)

// sameRow is a point of TestSameInput as a row of a Parquet table.
type sameRow struct {
	ID   string  `parquet:"id"`
	X1   float32 `parquet:"x1"`
	X2   float32 `parquet:"x2"`
	Kind string  `parquet:"class"`
}

// sameListRow holds the coordinates in a list, sameRepeatedRow in a repeated value.
type sameListRow struct {
	ID   string    `parquet:"id"`
	X    []float32 `parquet:"features,list"`
	Kind string    `parquet:"class,dict"`
}

type sameRepeatedRow struct {
	ID   string    `parquet:"id"`
	X    []float64 `parquet:"x"`
	Kind string    `parquet:"class"`
}

// sameFiles hold one set of five points, two of them equal, with names and labels, in every format that can.
func sameFiles() map[string][]byte {
	x := []float32{1, 2, 3, 4, 1, 2, 5, 6.5, 7, 8}
	ids, kinds := []string{"a", "b", "c", "d", "e"}, []string{"cat", "dog", "cat", "cat", "ünü"}
	csv, tsv := "id,x1,x2,class\n", "id\tx1\tx2\tclass\n"
	var plain []sameRow
	var lists []sameListRow
	var repeated []sameRepeatedRow
	for i, id := range ids {
		csv += fmt.Sprintf("%s,%v,%v,%s\n", id, x[2*i], x[2*i+1], kinds[i])
		tsv += fmt.Sprintf("%s\t%v\t%v\t%s\n", id, x[2*i], x[2*i+1], kinds[i])
		plain = append(plain, sameRow{id, x[2*i], x[2*i+1], kinds[i]})
		lists = append(lists, sameListRow{id, x[2*i : 2*i+2], kinds[i]})
		repeated = append(repeated, sameRepeatedRow{id, []float64{float64(x[2*i]), float64(x[2*i+1])}, kinds[i]})
	}
	features := npyBytes("<f4", false, "5, 2", bytesOf(little, x)...)
	return map[string][]byte{
		"p.csv": []byte(csv), "p.tsv": []byte(tsv), "p.csv.gz": packed([]byte(csv)), "p.tsv.gz": packed([]byte(tsv)),
		"p.dat": []byte(csv), "p": packed([]byte(tsv)),
		"p.parquet":        parquetBytes(plain, parquet.Compression(&parquet.Gzip)),
		"lists.parquet":    parquetBytes(lists, parquet.Compression(&parquet.Snappy)),
		"zstd.parquet":     parquetBytes(lists, parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1)),
		"repeated.parquet": parquetBytes(repeated),
		"p.npy":            features, "p.npy.gz": packed(features),
	}
}

// TestSameInput: a set is the same Input whatever file it stands in, but for what the file cannot say: only text has
// lines, and an .npy file holds no names and has its labels beside it.
func TestSameInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := sameFiles()
	for name, raw := range all {
		write(t, raw, dir, name)
	}
	write(t, wide(3, "cat", "dog", "cat", "cat", "ünü"), dir, "p-labels.npy")
	const apart = `column "class" is set apart as the labels; rename it to use it as a coordinate ` +
		`(or list it in FileOptions.Columns)`
	for name := range all {
		o := Options{}
		unpacked, _ := must.M2(fileio.Unpack(bytes.NewReader(all[name])))
		content := must.M1(io.ReadAll(unpacked))
		format := formatOf(content, plainName(name))
		if format.header || name == "p.parquet" {
			o.Columns = []string{"x1", "x2"} // the names are no coordinates
		}
		in, err := Open(dir+"/"+name, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := &Input{
			Pool: in.Pool, Path: dir + "/" + name, Kind: format.kind, Columns: []string{"x1", "x2"},
			Names: []string{"a", "b", "c", "d", "e"}, NameColumn: "id", LabelsFrom: "the label column",
			Warnings: []string{apart, "1 point occurs 2 times"}, Origin: in.Origin, table: in.Table(), mixed: in.mixed,
		}
		switch {
		case format.header:
			want.Lines = []int{2, 3, 4, 5, 6}
		case format.kind == "NumPy array":
			want.Names, want.NameColumn, want.LabelsFrom, want.Warnings = nil, "", "p-labels.npy", want.Warnings[1:]
			if name != "p.npy" {
				want.LabelsFrom = "" // a packed file has none beside it
			}
		}
		if !reflect.DeepEqual(in, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, in, want)
		}
		columns := in.Table().Columns
		if !slices.Equal(columns[0].Values, []float64{1, 3, 1, 5, 7}) || columns[1].Name != "x2" || len(columns) != 2 {
			t.Errorf("%s: the table is %v", name, columns)
		}
		if in.D != 2 || !slices.Equal(in.X, []float32{1, 2, 3, 4, 1, 2, 5, 6.5, 7, 8}) {
			t.Errorf("%s: %d coordinates %v", name, in.D, in.X)
		}
		if want.LabelsFrom != "" &&
			(!slices.Equal(in.Labels, []int32{0, 1, 0, 0, 2}) ||
				!slices.Equal(in.Classes, []string{"cat", "dog", "ünü"})) {
			t.Errorf("%s: labels %v of %q", name, in.Labels, in.Classes)
		}
	}
}

// TestLabelNames: one list of names marks labels in all formats; the y of a point in the plane is a coordinate.
func TestLabelNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for header, want := range map[string]string{
		"a,b,y": "y", "a,b,targets": "targets", "a,b,y_true": "y_true", "a,b,cluster": "cluster",
		"x,z,y": "", "a,y": "", "a,b,Y": "",
	} {
		width := strings.Count(header, ",") + 1
		row := "1,2,0\n4,5,1\n"
		if width == 2 {
			row = "1,2\n4,5\n"
		}
		in := must.M1(Open(write(t, []byte(header+"\n"+row), dir, "p.csv"), Options{}))
		if (in.Labels != nil) != (want != "") || len(in.Columns) != width-len(in.Classes)/2 {
			t.Errorf("%s: labels %v, columns %q", header, in.Labels, in.Columns)
		}
	}
	for _, text := range []string{"a,b,y\n1,2,0.5\n4,5,1\n", "a,b,y\n1,2,1e-3\n4,5,1\n"} {
		if in := must.M1(Open(write(t, []byte(text), dir, "p.csv"), Options{})); in.Labels != nil || in.D != 3 {
			t.Errorf("fractions are taken as labels: %v", in.Labels)
		}
	}
}

// TestRemarks: what counts the rows and what is equal is said, once.
func TestRemarks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const counts = `column "n" counts the points and is taken as a coordinate; ` +
		`leave it out if it only names them (FileOptions.Columns)`
	for text, want := range map[string][]string{
		"n,x\n1,5\n2,7\n3,1\n4,2\n5,0\n":           {counts},
		"n,x\n1,5\n2,7\n3,1\n4,2\n":                nil, // four prove nothing
		"n,x\n1,5\n2,7\n3,1\n4,2\n6,0\n":           nil,
		"n,x\n0.5,5\n1.5,7\n2.5,1\n3.5,2\n4.5,0\n": nil,
		",x\n1,5\n2,7\n3,1\n4,2\n5,0\n":            nil, // set apart
		"x\n3\n3\n3\n":                             {"all 3 points are equal"},
		"x\n3\n1\n3\n3\n":                          {"1 point occurs 3 times"},
		"x\n3\n1\n3\n1\n":                          {"2 points occur more than once"},
	} {
		if in := must.M1(Open(write(t, []byte(text), dir, "p.csv"), Options{})); !slices.Equal(in.Warnings, want) {
			t.Errorf("%q: warnings %q, want %q", text, in.Warnings, want)
		}
	}
}
