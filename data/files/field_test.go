package files

import (
	"archive/zip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// fieldFiles are files like those of users' reports, from scripts with a seed: what there is in testdata/field.zip, and
// what is read of it, or the fault and its remedy. Of the refused ones there is only the beginning.
var fieldFiles = []struct {
	name, columns, names string
	rows, classes        int
	fault                string
}{
	{name: "embedding_in_one_cell.csv", columns: "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14,x15,x16,x17,x18,x19," +
		"x20,x21,x22,x23,x24", rows: 16, classes: 4},
	{name: "formats/big_ids.csv", columns: "a,b,c", names: "tweet_id", rows: 150},
	{name: "formats/complex.npy", fault: `holds values of type "<c8"`},
	{name: "formats/dash_missing.csv", columns: "a,b,c", rows: 150},
	{name: "formats/decimal_dict_null.parquet", columns: "amount,n,kind,ok,w", rows: 150, classes: 3},
	{name: "formats/excel_errors.csv", columns: "a,b,c", rows: 150},
	{name: "formats/group_index.csv", columns: "x1,a,b,c", rows: 150, classes: 3},
	{name: "formats/group_index.parquet", columns: "a,b,c", names: "__index_level_0__", rows: 150, classes: 3},
	{name: "formats/longdouble.npy", fault: "; save a plain array with numpy.save"},
	{name: "formats/minus_unicode.csv", columns: "a,b,c", rows: 150},
	{name: "formats/multiheader.csv", fault: ":2: column \"sensor1\": \"mean\" is not a number; delete this line"},
	{name: "formats/object.npy", fault: "; save a plain array with numpy.save"},
	{name: "formats/only_decimals.parquet", columns: "revenue,age", rows: 150},
	{
		name:  "formats/percent_comment.csv",
		fault: ":1: the line has 1 cell, but most lines have 3; delete the lines above",
	},
	{name: "formats/pipe_trailing.csv", columns: "a,b,c", rows: 150},
	{name: "formats/preamble.csv", fault: ":1: the line has 1 cell, but most lines have 3; delete the lines above"},
	{name: "formats/quoted_numbers_thousands.csv", columns: "a,b,c", rows: 150},
	{name: "formats/records.npy", fault: "holds records, or has a header that cannot be understood"},
	{name: "formats/revenue_decimal.parquet", columns: "revenue,age,visits", rows: 150, classes: 3},
	{name: "formats/revenue_double.parquet", columns: "revenue,age,visits", rows: 150, classes: 3},
	{name: "formats/sci_D.csv", columns: "a,b,c", rows: 150},
	{name: "formats/spaces.csv", fault: "separate the cells with commas or tabs, not spaces"},
	{name: "formats/split_index_named.csv", columns: "a,b,c", names: "index", rows: 150, classes: 3},
	{name: "formats/struct_column.parquet", columns: "p.x,p.y,v", rows: 150},
	{name: "formats/times.parquet", columns: "when,day,dur,v", rows: 150, classes: 3},
	{name: "formats/total_row.csv", fault: ":152: column \"a\": \"Total\" is not a number; delete this line"},
	{name: "formats/trailing_comma_all.csv", columns: "a,b,c", rows: 150},
	{name: "formats/trailing_comma_rows.csv", columns: "a,b,c", rows: 150},
	{name: "formats/transposed.csv", names: "gene", rows: 3, columns: "s0,s1,s2,s3,s4,s5,s6,s7,s8,s9,s10,s11,s12,s13," +
		"s14,s15,s16,s17,s18,s19,s20,s21,s22,s23,s24,s25,s26,s27,s28,s29,s30,s31,s32,s33,s34,s35,s36,s37,s38,s39,s40," +
		"s41,s42,s43,s44,s45,s46,s47,s48,s49"},
	{name: "hash/colours_hex_first.csv", columns: "r,g,b", names: "hex", rows: 120, classes: 3},
	{name: "hash/number_sign_header.csv", columns: "HP,Attack,Defense", names: "#", rows: 120, classes: 3},
	{name: "hash/topics_some_with_hash.csv", columns: "likes,shares,replies", names: "tag", rows: 120, classes: 3},
	{
		name:  "odd/accounting_negatives.csv",
		fault: `:4: column "a": "(0.07)" is not a number; write plain numbers`,
	},
	{name: "odd/cr_only.csv", fault: ": the lines end in a lone CR; save it with LF or CRLF line ends"},
	{name: "odd/crlf_newline_in_cell.csv", columns: "a,b", names: "note", rows: 240},
	{
		name:  "odd/frame.feather",
		fault: "is a Feather file; convert it: python3 -c \"import pandas; pandas.read_feather('",
	},
	{name: "odd/frame.pkl", fault: "is a pickle; convert it: python3 -c \"import pandas; pandas.read_pickle('"},
	{
		name:  "odd/hex_and_float.csv",
		fault: `:2: column "a" holds text such as "0x8be"; leave it out`,
	},
	{name: "odd/indian_thousands.csv", fault: `:2: column "a" holds text such as "2,23800"`},
	{name: "odd/inf_words.csv", fault: `:2: column "a": "Infinity" is not a finite number; mend or delete this line`},
	{
		name:  "odd/libsvm.txt",
		fault: "is in libsvm's format; convert it: python3 -c \"import numpy, sklearn.datasets;",
	},
	{name: "odd/none_words.csv", fault: `:82: column "a": "missing" is not a number; mend or delete this line`},
	{name: "odd/nul_bytes.csv", fault: "the file is binary data, not text; save the table as CSV text in UTF-8"},
	{
		name:  "odd/really_xlsx.csv",
		fault: "the file is binary data, not text; save the table as CSV text in UTF-8",
	},
	{name: "odd/rows.json", fault: "is JSON; convert it: python3 -c \"import pandas; pandas.read_json('"},
	{
		name:  "odd/rows.jsonl",
		fault: "is JSON, a value a line; convert it: python3 -c \"import pandas; pandas.read_json('",
	},
	{name: "odd/single_quotes.csv", fault: `4 columns cannot be read: "'a'" (text such as "'2.238'")`},
	{name: "odd/table.zip", fault: "is an archive; unpack it and name the file"},
	{name: "odd/weka.arff", fault: "is an ARFF file; convert it: python3 -c \"import pandas; import scipy"},
}

// Files from the field are read whole, or refused in a line with a remedy.
func TestFieldFiles(t *testing.T) {
	t.Parallel()
	dir := fieldFolder(t)
	for _, want := range fieldFiles {
		path := filepath.Join(dir, want.name)
		in, err := Read(path, Options{})
		if want.fault != "" {
			if err == nil {
				t.Errorf("%s is read: %d rows of %q", want.name, in.Len(), in.Columns)
			} else {
				wantUserError(t, err, path, want.fault)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if got := strings.Join(in.Columns, ","); in.Len() != want.rows || got != want.columns ||
			in.NameColumn != want.names || len(in.Classes) != want.classes {
			t.Errorf("%s: %d rows of %s, named by %q, %d classes",
				want.name, in.Len(), got, in.NameColumn, len(in.Classes))
		}
	}
}

// fieldFolder unpacks testdata/field.zip.
func fieldFolder(t *testing.T) string {
	dir := t.TempDir()
	archive := must.M1(zip.OpenReader("testdata/field.zip"))
	must.M(os.CopyFS(dir, archive))
	must.M(archive.Close())
	return dir
}

// Decimals of a Parquet file are the same numbers as doubles.
func TestDecimals(t *testing.T) {
	t.Parallel()
	dir := fieldFolder(t)
	a := must.M1(Read(filepath.Join(dir, "formats/revenue_decimal.parquet"), Options{}))
	b := must.M1(Read(filepath.Join(dir, "formats/revenue_double.parquet"), Options{}))
	if !slices.Equal(a.Table().Columns[0].Values, b.Table().Columns[0].Values) {
		t.Errorf("%v, want %v", a.Table().Columns[0].Values[:5], b.Table().Columns[0].Values[:5])
	}
}

// A photo that lies on its side is turned upright.
func TestTurnedPictures(t *testing.T) {
	t.Parallel()
	dir := fieldFolder(t)
	turned := must.M1(Open(filepath.Join(dir, "images/exif"), Options{}))
	upright := must.M1(Open(filepath.Join(dir, "images/plain"), Options{}))
	if !slices.Contains(turned.Notes, "1 image turned as the EXIF data say") {
		t.Errorf("notes %q", turned.Notes)
	}
	for i, v := range turned.X {
		if d := v - upright.X[i]; d < -0.05 || d > 0.05 { // JPEG rounds
			t.Fatalf("pixel %d is %v, want %v", i, v, upright.X[i])
		}
	}
}

// Each of the eight orientations shows the same picture: an F in the corner of 2×3 pixels.
func TestOrientations(t *testing.T) {
	t.Parallel()
	stored := map[int][]float32{ // rows of 3 pixels, from 5 on of 2
		1: {.1, .2, .3, .4, .5, .6}, 2: {.3, .2, .1, .6, .5, .4}, 3: {.6, .5, .4, .3, .2, .1},
		4: {.4, .5, .6, .1, .2, .3}, 5: {.1, .4, .2, .5, .3, .6}, 6: {.3, .6, .2, .5, .1, .4},
		7: {.6, .3, .5, .2, .4, .1}, 8: {.4, .1, .5, .2, .6, .3},
	}
	for orientation, pix := range stored {
		width := 3
		if orientation > 4 {
			width = 2
		}
		if got := turned(picture(width, pix...), orientation); !reflect.DeepEqual(got, picture(3, stored[1]...)) {
			t.Errorf("orientation %d: %v", orientation, pixels(got))
		}
	}
}
