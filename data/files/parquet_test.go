package files

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/parquet-go/parquet-go"

	"github.com/gfncp/gfncp/data/tabular"
)

// parquetBytes writes rows; each call of Write makes a row group of up to two.
func parquetBytes[T any](rows []T, options ...parquet.WriterOption) []byte {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	for at := 0; at < len(rows); at += 2 {
		must.M1(w.Write(rows[at:min(at+2, len(rows))]))
		must.M(w.Flush())
	}
	must.M(w.Close())
	return b.Bytes()
}

type listRow struct {
	ID       int64     `parquet:"id"`
	Features []float32 `parquet:"features,list"`
	Label    string    `parquet:"label,dict"`
}

type plainRow struct {
	A     float32  `parquet:"a"`
	Path  string   `parquet:"path"`
	B     *float64 `parquet:"b,optional"`
	Label string   `parquet:"label"`
	Index int64    `parquet:"__index_level_0__"`
}

// listRowsOf are the rows of sampleCSV.
func listRowsOf() (rows []listRow) {
	for i, label := range []string{"cat", "ünü", "cat", "dog"} {
		rows = append(rows, listRow{int64(i), sampleX[2*i : 2*i+2], label})
	}
	return rows
}

func plainRowsOf() (rows []plainRow) {
	for i, label := range []string{"cat", "ünü", "cat", "dog"} {
		b := float64(sampleX[2*i+1])
		rows = append(rows, plainRow{sampleX[2*i], fmt.Sprint(i, ".png"), &b, label, int64(i)})
	}
	return rows
}

// parquetFiles are tables with the numbers of sampleCSV, by name.
func parquetFiles() map[string][]byte {
	return map[string][]byte{
		"list.parquet":  parquetBytes(listRowsOf(), parquet.Compression(&parquet.Snappy)),
		"plain.parquet": parquetBytes(plainRowsOf(), parquet.Compression(&parquet.Gzip)),
	}
}

// Row numbers are left out and names set apart. --columns and --labels work as for a table of text.
func TestParquet(t *testing.T) {
	path := write(t, parquetFiles()["plain.parquet"], t.TempDir(), "p.parquet")
	pool := must.M1(Open(path, Options{}))
	wantSample(t, "plain", pool, nil)
	want := []string{`columns that name or count the rows are set apart (FileOptions.Columns takes them): "path"`}
	if !slices.Equal(pool.Notes, want) {
		t.Errorf("notes %q, want %q", pool.Notes, want)
	}
	o := Options{}
	o.Columns, o.LabelColumn = []string{"b", "1"}, "__index_level_0__"
	pool = must.M1(Open(path, o))
	if !slices.Equal(pool.Point(1), []float32{3.5, 1}) ||
		!slices.Equal(pool.Classes, []string{"0", "1", "2", "3"}) {
		t.Errorf("%+v", pool)
	}
}

// An encoding gives its kinds to columns by their names: it lists numbers first.
func TestParquetEncoded(t *testing.T) {
	type row struct {
		A string
		B float64
	}
	path := write(t, parquetBytes([]row{{"u", 1}, {"v", 2}}), t.TempDir(), "p.parquet")
	in := must.M1(Read(path, Options{Encoding: &tabular.Encoding{Columns: []tabular.Code{
		{Name: "B", Kind: tabular.Number}, {Name: "A", Kind: tabular.Category, Levels: []string{"u", "v"}},
	}}}))
	if kind := in.Table().Columns[0].Kind; kind != tabular.Category {
		t.Errorf("column A has kind %v", kind)
	}
}

// Each fault names the file, the column, and the row where there is one.
func TestParquetFaults(t *testing.T) {
	ragged := listRowsOf()
	ragged[2].Features = []float32{1, 2, 3}
	hole := plainRowsOf()
	hole[3].B = nil
	empty := listRowsOf()
	empty[0].Features = nil
	unnamed := listRowsOf()
	unnamed[1].Label = ""
	infinite := plainRowsOf()
	*infinite[0].B = 1e300
	type two struct {
		A []float32 `parquet:"a,list"`
		B []float32 `parquet:"b,list"`
	}
	type text struct {
		A string `parquet:"a"`
	}
	plain, none := parquetBytes(plainRowsOf()), Options{}
	for want, test := range map[string]struct {
		raw     []byte
		options Options
	}{
		`row 3, column "features" holds no vector like the others here`: {parquetBytes(ragged), none},
		`row 4, column "b": the cell holds no number`:                   {parquetBytes(hole), none},
		"column features: the list of row 1 is empty":                   {parquetBytes(empty), none},
		`row 2, column "label": the label is missing`:                   {parquetBytes(unnamed), none},
		`row 1, column "b": 1e+300 is too large for a 32-bit`:           {parquetBytes(infinite), none},
		"the table has no rows":                                         {parquetBytes([]plainRow{}), none},
		"the table has no rows; give at least one point":                {parquetBytes([]listRow{}), none},
		`several columns could be the vectors: "a", "b"; name one (FileOptions.Columns)`: {
			parquetBytes([]two{{[]float32{1}, []float32{2}}}), none,
		},
		`row 1, column "a" holds text such as "x"`: {parquetBytes([]text{{"x"}}), none},
		`column has a type that is not read: "features" (list of float); leave`: {
			parquetBytes(listRowsOf()), Options{LabelColumn: "features"},
		},
		`column has a type that is not read: "features" (list of float)`: {
			parquetBytes(listRowsOf()), Options{Aside: []string{"features"}},
		},
		`row 1, column "path" holds text such as "0.png"`: {plain, Options{Columns: []string{"a", "path"}}},
		`no column is named "z"; use one of "a", "path", "b", "label", "__index_level_0__" in FileOptions.Columns`: {
			plain, Options{Columns: []string{"z"}},
		},
	} {
		path := write(t, test.raw, t.TempDir(), "p.parquet")
		_, err := Open(path, test.options)
		wantUserError(t, err, path+": ", want)
	}
}

// However a file is cut short, it gives a fault that names it, not a panic. TestHarmedFiles changes it in other ways.
func TestParquetDamaged(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"list.parquet", "plain.parquet"} {
		raw := parquetFiles()[name]
		path := filepath.Join(dir, name)
		for n := 0; n < len(raw); n += 1 + len(raw)/60 {
			checkFile(t, path, raw[:n])
			if _, err := Open(path, Options{}); err == nil {
				t.Errorf("%s cut to %d: no fault", name, n)
			}
		}
	}
}

// A column of any kind that has not as many rows as the table claims is a fault.
func TestParquetRows(t *testing.T) {
	raw := parquetFiles()["list.parquet"]
	const path = "list.parquet"
	columns, rows, err := openParquetFile(path, raw)
	must.M(err)
	for _, claimed := range []int64{rows - 1, rows + 1} {
		for _, c := range columns {
			c.rows = claimed
			wantUserError(t, c.readCells(&cells{}), path, c.name+" does not have the ")
		}
		wantUserError(t, columns[0].readLists(&cells{}), path, "does not have the ")
	}
}

// What a small file claims costs no memory.
func TestParquetBombs(t *testing.T) {
	footer := []byte{0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07} // a field 1, a list of 2^31−1 structures
	bomb := append([]byte("PAR1"), footer...)
	bomb = append(little.AppendUint32(bomb, uint32(len(footer))), "PAR1"...)
	tail := append(little.AppendUint32([]byte("PAR1xxxx"), 1<<31), "PAR1"...)
	for name, test := range map[string]struct {
		raw  []byte
		want string
	}{
		"list.parquet":   {bomb, "claims a list of 2147483647 elements in 0 bytes"},
		"footer.parquet": {tail, "its footer claims 2147483648 of 16 bytes"},
	} {
		path := write(t, test.raw, t.TempDir(), name)
		wantLittleMemory(t, func() {
			_, err := Open(path, Options{})
			wantUserError(t, err, path, test.want)
		})
	}
}
