package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/testfiles"
)

const (
	few    = `; give at least 2 points, one a line`
	fix    = `; mend or delete this line`
	quote  = `a quote (") stands inside a cell, is not closed, or has text behind it` + fix
	number = fix + `, or leave the column out (FileOptions.Ignore)`
	abc    = `"abc" is not a number` + number + `, or take it for a missing cell (FileOptions.Missing "abc")`
	taken  = ` or FileOptions.IgnoreText), take it as categories (FileOptions.Categorical "b"), ` +
		`or write plain numbers, or days as 2024-01-31`
	saveText = `; save the table as CSV text in UTF-8`
)

// faults holds a text for each fault, and the error without "p.csv".
var faults = []parseCase{
	parsed("empty", "", `: the file is empty`+few),
	parsed("only a BOM", "\ufeff", `: the file is empty`+few),
	parsed("only blanks and comments", "\n# x,y\n# z\n  \n", `: the file holds no points`+few),
	parsed("header only", "x,y\n", `: the file holds only 0 points`+few, Options{Header: "yes"}),
	parsed("header only, guessed", "x,y\n",
		`: the file holds only 0 points`+few+`, or use FileOptions.Header no if the first line is a point`),
	parsed("one point", "1,2\n", `: the file holds only 1 point`+few),
	parsed("too few cells", "x,y\n1,2\n3\n", `:3: the line has 1 cell in place of 2`+fix),
	parsed("too many cells", "\n1,2\n3,4\n5,6,7\n", `:4: the line has 3 cells in place of 2`+fix),
	parsed("too many cells in all rows", "x,y\n1,2,3\n1,4,5\n", `:2: the line has 3 cells in place of 2`+fix),
	parsed("text", "x,y\n1,2\n3,abc\n", `:3: column "y": `+abc),
	parsed("long text", "1\n"+strings.Repeat("é", 50)+"\n",
		`:2: column 1: "`+strings.Repeat("é", 40)+`…" is not a number`+number),
	parsed("hexadecimal", "1\n0x1p2\n", `:2: column 1: "0x1p2" is not a number`+number),
	parsed("cell behind a quoted line end", "1,2,3\n\"a\nb\",5,abc\n",
		`:2: column 3: `+abc, Options{Columns: []string{"3"}}),
	parsed("decimal point among commas", "a;b\n1,5;2\n1.234;4\n"+strings.Repeat("1;2\n", 1000),
		`:3: column "a": "1.234" is not a number; write plain numbers, in the whole column, such as 1234,5`),
	parsed("millions", "a;b\n1.234.567;2\n2.510;3\n",
		`:2: column "a": "1.234.567" is not a number; write plain numbers, in the whole column, such as 1234.5`),
	parsed("euros", "a,b\n2,€ 12.50\n4,\"€ 1,003.50\"\n",
		`:2: column "b" holds text such as "€ 12.50"; leave it out (FileOptions.Ignore "b"`+taken),
	parsed("percent here and there", "a,b\n1,2%\n3,4\n",
		`:3: column "b": "4" stands among numbers of the other kind; `+
			`write all numbers of the column with a percent sign, or none of them`),
	parsed("days or months", "a,b\n1,01/02/2024\n3,03/02/2024\n",
		`:2: column "b": "01/02/2024" may be 2 January or 1 February; write days as 2024-02-01`),
	parsed("days of two forms", "a,b\n1,3.1.2024\n3,\n5,2024-01-31\n",
		`:4: column "b" holds "2024-01-31" among days such as "3.1.2024"; leave it out (FileOptions.Ignore "b"`+taken),
	parsed("many levels", "a,b\n"+lettered(40, 20),
		`:2: column "b" holds text such as "a"; leave it out (FileOptions.Ignore "b"`+taken),
	parsed("very many levels", "a,b\n"+lettered(400, 200),
		`:2: column "b" holds text such as "aa"; leave it out (FileOptions.Ignore "b"`+taken),
	parsed("few rows a level", "a,b\n1,u\n2,v\n3,u\n4,v\n5,u\n6,u\n7,v\n",
		`:2: column "b" holds text such as "u"; leave it out (FileOptions.Ignore "b"`+taken),
	parsed("a category, and points wanted", "a,b\n"+lettered(8, 2),
		`:2: column "b": "a" is not a number; leave the column out `+
			`(FileOptions.Columns; FileOptions.LabelColumn, if it holds labels)`),
	parsed("a slip among ratings", "a,b\n1,5\n2,4\n1,4\n3,5\n4,abc\n5,5\n2,4\n9,4\n8,5\n",
		`:6: column "b": `+abc),
	parsed("a slip behind many numbers", "a\n"+strings.Join(strings.Fields(counted(1, 100, 2)), "\n")+"\nabc\n1\n",
		`:102: column "a": `+abc),
	parsed("nothing left", "a,b\n1,2\n3,4\n",
		`:1: no column is left; leave some out of FileOptions.Ignore`, Options{Ignore: []string{"1", "2"}}),
	parsed("chosen and ignored", "a,b\n1,2\n3,4\n",
		`:1: column "a" is chosen, and in FileOptions.Ignore; leave it out of one`,
		Options{Columns: []string{"a"}, Ignore: []string{"1"}}),
	parsed("a category that is not read", "a,b\n1,2\n3,4\n",
		`:1: column "b" is not read; leave it out of FileOptions.Categorical`,
		Options{Columns: []string{"a"}, Categorical: []string{"b"}}),
	parsed("underscores", "x,y\n1_000,5\n2,3\n",
		`:2: column "x": "1_000" is not a number; write plain numbers, in the whole column, such as 1234.5`),
	parsed("spaces between cells", "1 2\n3 4\n",
		`:2: column "1 2": "3 4" is not a number; separate the cells with commas or tabs, not spaces`),
	parsed("numbers with a unit", "a,b\n1,2.5 kg\n3,4 kg\n5,6.1 kg\n",
		`:2: column "b" holds text such as "2.5 kg"; leave it out (FileOptions.Ignore "b"`+taken),
	parsed("words among few numbers", "doors,a\n"+strings.Repeat("2,1\n3,2\n5more,3\n4,4\n2,0\n", 4),
		`:4: column "doors": "5more" is not a number; `+mendOrIgnore+
			`; FileOptions.Categorical "doors" takes all its values as categories`),
	parsed("spaces between cells in quotes", "\"a\" \"b\"\n\"x\" 4 5\n",
		`:1: `+quote),
	parsed("empty cell", "x,y\n1,2\n ,4\n", `:3: column "x": the cell holds no number`+number),
	parsed("empty first cell", ",\n1,2\n", `:1: column "x1": the cell holds no number`+number),
	parsed("Inf", "1,2\n3,-Inf\n", `:2: column 2: "-Inf" is not a finite number`+number),
	parsed("overflow", "1,2\n3,3.5e38\n",
		`:2: column "x2": 3.5e+38 is too large for a 32-bit number; scale this column down`),
	parsed("overflow of float64", "1,2\n3,-1e999\n",
		`:2: column 2: "-1e999" is too large for a number; scale this column down`),
	parsed("stray quote", "1,2\n3,4\"\n", `:2: `+quote),
	parsed("open quote", "1,2\n\"3,4\n5,6\n", `:2: `+quote),
	parsed("unknown column", "x,y\n1,2\n3,4\n",
		`:1: no column is named "z"; use one of "x", "y" in FileOptions.Columns`, Options{Columns: []string{"x", "z"}}),
	parsed("unknown column among many", strings.Repeat("a,", 21)+"a\n",
		`:1: no column is named "z"; use one of `+strings.Repeat(`"a", `, 20)+`… 2 more in FileOptions.Columns`,
		Options{Columns: []string{"z"}}),
	parsed("name without header", "1,2\n3,4\n",
		`: no column is named "x"; use 1 to 2 in FileOptions.Columns, or FileOptions.Header yes`,
		Options{Columns: []string{"x"}}),
	parsed("empty name", "x,\n1,2\n",
		`:1: no column is named ""; use one of "x", 2 in FileOptions.Columns`, Options{Columns: []string{""}}),
	parsed("number too large", "1,2\n3,4\n",
		`: no column is named "3"; use 1 to 2 in FileOptions.Columns, or FileOptions.Header yes`,
		Options{Columns: []string{"3"}}),
	parsed("number zero", "x,y\n3,4\n",
		`:1: no column is named "0"; use one of "x", "y" in FileOptions.LabelColumn`, Options{LabelColumn: "0"}),
	parsed("ambiguous name", "x,y,x\n1,2,3\n",
		`:1: columns 1 and 3 are both named "x"; use a number in FileOptions.Columns`, Options{Columns: []string{"x"}}),
	parsed("chosen twice", "x,y\n1,2\n",
		`:1: column "x" is chosen twice as a coordinate or label; leave one out`, Options{Columns: []string{"x", "1"}}),
	parsed("coordinate and label", "1,2\n3,4\n",
		`: column 2 is chosen twice as a coordinate or label; leave one out`,
		Options{Columns: []string{"1", "2"}, LabelColumn: "2"}),
	parsed("two label columns", "x,label,class\n1,2,3\n",
		`:1: columns "label" and "class" could both hold the labels; rename one (or name it `+
			`in FileOptions.LabelColumn, and the coordinates in FileOptions.Columns)`),
	parsed("no coordinate", "label\na\nb\n",
		`:1: column "label" holds the labels, and there is no other; add a column of numbers, `+
			`or choose columns (FileOptions.Columns)`),
	parsed("text of a clustered column", "x\nabc\n", `:2: column "x": "abc" is not a number; `+mend+
		`, or take it for a missing cell (FileOptions.Missing "abc")`, Options{Like: []string{"x"}, Single: true}),
	parsed("label gap", "x,label\n1,a\n2,NA\n", `:3: column "label": the label is missing`+number),
	parsed("empty label", "x,label\n1,a\n2,\n", `:3: column "label": the label is missing`+number),
}

// lettered are rows of a number and one of some letters, in turn, or of two letters beyond 26 levels.
func lettered(rows, levels int) string {
	var b strings.Builder
	for i := range rows {
		level := string(rune('a' + i%levels%26))
		if levels > 26 {
			level += string(rune('a' + i%levels/26))
		}
		fmt.Fprintf(&b, "%d,%s\n", i*i, level)
	}
	return b.String()
}

// counted are numbers from the first on, in steps.
func counted(first, count, step int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintln(&b, first+i*step)
	}
	return b.String()
}

// Numbers and days in a notation that is not read are refused. They are not names, even if all of them differ.
func TestNotations(t *testing.T) {
	for cells, want := range map[string]string{
		"~40|~50|70": `text such as "~40"; leave`, "9,03,883|1": "write plain", "1|v|2": "; delete",
		"2 (1)|3 (1)": "such as", "PT1H|PT9M3S": "such as", "21.3k|1.2M": "such as", "R$ 1|R$ 2": "such as",
		"5. Mai 2021|6. Juni 2021": "such as", "2020-01-05|05.01.2020": "such as", "~5|6|7": "plain",
		"12.03.68|12.03.72": "year 2068", "1.5.70|1.5.24": "<nil>", "2.693,50 €|1,50 €": "such as",
		"€ 1,003|€ 9": "such as", "192.168.67.230|192.168.67.1": "<nil>", "A-0012|A-0013": "<nil>",
		"+49 17 19|+49 17 20": "<nil>", `1|\N|2`: `Missing "\N")`, "1|n/v": "Missing", "'4|'5": "such as",
	} {
		_, err := Parse("p.csv", strings.NewReader("v;z\n"+strings.ReplaceAll(cells, "|", ";1\n")+";2\n"), Options{})
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, want %q", cells, err, want)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("p.csv", strings.NewReader(c.text), c.opts)
			testfiles.WantFault(t, err, "p.csv"+c.want)
		})
	}
}

func TestPathFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	must.M(os.WriteFile("file", []byte("1\n2\n"), 0o644))
	_, err := Open("none.csv", Options{})
	testfiles.WantFault(t, err, `none.csv: no such file or folder; check the path`)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not wrap fs.ErrNotExist", err)
	}
	_, err = Open("file/none.csv", Options{})
	testfiles.WantFault(t, err, `file/none.csv: no such file or folder; check the path`)
	in, err := Open("file", Options{})
	if err != nil || in.Path != "file" || !slices.Equal(in.X, []float32{1, 2}) {
		t.Errorf("Open = %+v, %v", in, err)
	}
}

// A packed table that is damaged or cut short is told as one, under its own name.
func TestDamagedPackedTable(t *testing.T) {
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "%d,%d\n", i*i%977, i*i%1009)
	}
	whole := packed([]byte(text.String()))
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 255
	for name, content := range map[string][]byte{"flipped.csv.gz": flipped, "cut.csv.gz": whole[:len(whole)/3]} {
		path := write(t, content, t.TempDir(), name)
		_, err := Open(path, Options{})
		wantUserError(t, err, path, "the gzip data is damaged or cut short")
	}
}
