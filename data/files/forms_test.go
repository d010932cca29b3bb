package files

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/gfncp/gfncp/data/tabular"
)

// formCase is a table of text, the names of its columns, what its notes and warnings say, and the first column.
type formCase struct {
	text, columns, said string
	first               []float64
}

func formOf(text, columns, said string, first ...float64) formCase {
	return formCase{text, columns, said, first}
}

// Tables as other programs write them are read whole, and what was done is said.
func TestForms(t *testing.T) {
	t.Parallel()
	gap := math.NaN()
	for name, test := range map[string]formCase{
		"sep=":           formOf("sep=;\na;b\n1,500;2\n3,250;4\n", "a,b", "decimal commas", 1.5, 3.25),
		"pipes at ends":  formOf("a|b|\n1|2|\n3|4|\n", "a,b", "without a name and a value are left out: 3", 1, 3),
		"commas at ends": formOf("a,b\n1,2,\n3,4\n", "a,b", "1 line ends in a separator that parts nothing", 1, 3),
		"thousands": formOf("a,b\n\"1,234\",1\n\"-1,234,567.5\",2\n7,3\n", "a,b",
			"thousands", 1234, -1234567.5, 7),
		"thousands, ch":     formOf("a,b\n1'234.5,1\n7,2\n", "a,b", "thousands", 1234.5, 7),
		"thousands, fr":     formOf("a;b\n1\u202f234,5;1\n7;2\n", "a,b", "thousands", 1234.5, 7),
		"thousands, blanks": formOf("a;b\n3 638,95;1\n7,5;2\n", "a,b", "thousands", 3638.95, 7.5),
		"thousands, points": formOf("a;b\n2.510;2.000\n874;3.300\n640;1.000\n1.097;7.000\n", "a,b",
			"left off in the columns: \"a\", \"b\"", 2510, 874, 640, 1097),
		"thousands, commas": formOf("a\tb\n2,512\t1\n874\t3\n640\t8\n", "a,b", "thousands", 2512, 874, 640),
		"thirds": formOf("a,b\n1.333,1\n2,1\n2.333,2\n1,2\n3.333,2\n5,3\n", "a,b",
			"", 1.333, 2, 2.333, 1, 3.333, 5),
		"perhaps thousands": formOf("a,b\n1.234,1\n2,4\n3,4\n", "a,b",
			`column "a": 1.234 is read as a decimal; write 1234 if a sign parts its thousands`, 1.234, 2, 3),
		"not all thousands": formOf("a;b\n2.510;0.5\n874;3\n640;8\n1.097;7\n", "a,b", "read as a decimal",
			2.51, 874, 640, 1.097),
		"percent": formOf("a,b\n12%,1\n,2\n7.5 %,3\n", "a,b", "percent", 12, gap, 7.5),
		"Fortran": formOf("a,b\n1.5D+02,1\n-2d-1,2\n", "a,b", "", 150, -0.2),
		"minus":   formOf("a,b\n−1.5,1\n2,2\n", "a,b", "", -1.5, 2),
		"gaps": formOf("a,b\nNone,1\n<NA>,2\n#N/A,3\n.,4\n-,5\nnil,6\n1,7\n", "a,b",
			"", gap, gap, gap, gap, gap, gap, 1),
		"None is a level": formOf("a,b\n"+strings.Repeat("None,1\nsome,2\n", 4), "a,b",
			"2 levels", 0, 1, 0, 1, 0, 1, 0, 1),
		"days": formOf("a,b\nJan 1 1970,1\nJan 2 1970,2\n", "a,b", "seconds", 0, 86400),
		"digits of days": formOf("a,b\n20240131,1\n20231201,2\n20240229,1\n20240101,5\n20240102,3\n", "a,b",
			"days are read as numbers, unless", 20240131, 20231201, 20240229, 20240101, 20240102),
		"rows with #":  formOf("a,b,tag\n1,2,x\n#3,4,y\n5,6,z\n", "", ""),
		"names with #": formOf("tag,a\n#x,1\ny,2\n#z,3\n", "a", "tag", 1, 2, 3),
		"comment": formOf("a,b\n1,2\n# a word\n\n3,4\n\n", "a,b",
			"1 comment line is skipped, the first is line 3", 1, 3),
		"blank": formOf("a,b\n1,2\n\n3,4\n\n", "a,b", "", 1, 3),
		"names of R": formOf("\"a\"\t\"b\"\n\"r1\"\t1\t2\n\"r 2\"\t3\t4\n", "a,b",
			"line 1 names all columns but the first\ncolumns that name or count the rows are set apart", 1, 3),
		"empty": formOf("a,b,label\n1,2,u\n3,4,v\n,,\n,,\n", "a,b",
			"2 lines of empty cells are left out at the end of the file", 1, 3),
		"savetxt":  formOf("# made by hand\n# a,b\n1,2\n3,4\n", "a,b", "the first is line 1", 1, 3),
		"long ids": formOf("tweet,a\n12345678901234567890,1\n12345678901234567891,2\n", "a", "set apart", 1, 2),
		"long numbers": formOf("a,b\n12345678901234567890,1\n12345678901234567890,2\n", "a,b",
			"rounded", 12345678901234567890, 12345678901234567890),
		"vectors": formOf("v,label\n\"[1, 2e1]\",x\n\"[3 4]\",y\n", "x1,x2", "", 1, 3),
		"vectors and n": formOf("v,n,id\n\"[1, 2]\",5,p\n\"[3,4]\",6,q\n", "x1,x2",
			`not read, unless FileOptions.Columns takes them in its place: "n"`, 1, 3),
	} {
		in, err := parse("p.csv", strings.NewReader(test.text), Options{})
		if test.columns == "" {
			if err == nil {
				t.Errorf("%s is read", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := in.Table().Columns[0].Values
		same := slices.EqualFunc(got, test.first, func(a, b float64) bool { return a == b || a != a && b != b })
		said := strings.Join(slices.Concat(in.Notes, in.Warnings), "\n")
		if !same || strings.Join(in.Columns, ",") != test.columns || !strings.Contains(said, test.said) {
			t.Errorf("%s: %v in %q, said %q", name, got, in.Columns, said)
		}
	}
}

// Text in the encodings of Windows is the same table as in UTF-8.
func TestEncodings(t *testing.T) {
	t.Parallel()
	const text = "Größe,Straße\n1.5,ä\n2.5,ö\n3.5,ü\n"
	for name, code := range map[string]encoding.Encoding{
		"Latin-1": charmap.ISO8859_1, "Windows": charmap.Windows1252,
		"UTF-8 with a mark": unicode.UTF8BOM,
		"UTF-16":            unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		"UTF-16, big end":   unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
		"without a mark":    unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
		"big end, without":  unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	} {
		in, err := parse("p.csv", strings.NewReader(must.M1(code.NewEncoder().String(text))), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if in.Columns[0] != "Größe" || in.NameColumn != "Straße" || strings.Join(in.Names, "") != "äöü" {
			t.Errorf("%s: columns %q, names %q in %q", name, in.Columns, in.Names, in.NameColumn)
		}
	}
}

// All columns that cannot be read are named at once, with the flag that leaves them out.
func TestUnreadColumns(t *testing.T) {
	t.Parallel()
	text := "title,n,\"a,b\",gross\n"
	for i := range 70 {
		text += strings.Join([]string{lettersOf(i), "1.5", lettersOf(i % 69), "7"}, ",") + "\n"
	}
	text += "zz,2.5,same,8\nzz,2.5,same,unknown\n"
	_, err := parse("p.csv", strings.NewReader(text), Options{})
	wantUserError(t, err, `p.csv: 3 columns cannot be read: "title" (text such as "aa"), "a,b" (text such as "aa"), `+
		`"gross" ("unknown" is not a number); leave them out (FileOptions.Ignore "1,3,4")`)
	_, err = parse("p.csv", strings.NewReader(text), Options{Ignore: []string{"gross"}})
	wantUserError(t, err, `2 columns cannot be read: "title" (text such as "aa"), "a,b" (text such as "aa"); `+
		`leave them out (FileOptions.Ignore "1,3" or FileOptions.IgnoreText)`)
	in, err := parse("p.csv", strings.NewReader(text), Options{Ignore: []string{"gross"}, IgnoreText: true})
	if err != nil || !slices.Equal(in.Columns, []string{"n"}) || in.Len() != 72 ||
		!slices.Contains(in.Notes, `columns of text are left out: "title", "a,b"`) {
		t.Errorf("%+v, %v", in, err)
	}
}

// lettersOf writes a number in letters.
func lettersOf(n int) string { return string([]byte{'a' + byte(n/26), 'a' + byte(n%26)}) }

// Few whole numbers in a column that has a code's name are categories, and many are set apart, unless the user chooses
// the column; amounts, fractions and other names are numbers.
func TestCodes(t *testing.T) {
	read := func(header string, o Options, cell func(i int) string) tabular.Kind {
		var text strings.Builder
		text.WriteString("x," + header + "\n")
		for i := range 40 {
			fmt.Fprintf(&text, "%d.5,%s\n", i*i%17, cell(i))
		}
		return readText(t, text.String(), o).Table().Columns[1].Kind
	}
	few := func(i int) string { return fmt.Sprint(1000 + i%4) }
	for _, header := range []string{"store_id", "StoreID", "storeId", "order no", "ward_code", "zip", "Postcode"} {
		if kind := read(header, Options{}, few); kind != tabular.Category {
			t.Errorf("%s is %v", header, kind)
		}
	}
	for _, header := range []string{"stores", "paid", "grid", "valid"} {
		if kind := read(header, Options{}, few); kind != tabular.Number {
			t.Errorf("%s is %v", header, kind)
		}
	}
	if kind := read("store_id", Options{Columns: []string{"x", "store_id"}}, few); kind != tabular.Number {
		t.Errorf("a chosen column is %v", kind)
	}
	fraction := func(i int) string { return fmt.Sprintf("%d.25", i%4) }
	if kind := read("store_id", Options{}, fraction); kind != tabular.Number {
		t.Errorf("fractions are %v", kind)
	}
	var text strings.Builder
	text.WriteString("x,id,shop_id,y\n")
	for i := range 40 {
		fmt.Fprintf(&text, "%d.5,%d,%d,%d\n", i*i%17, 100+i/2, i%20, i%7)
	}
	if in := readText(t, text.String(), Options{}); !slices.Equal(in.Columns, []string{"x", "y"}) || in.Names != nil {
		t.Errorf("columns %q, names %q", in.Columns, in.Names)
	}
}
