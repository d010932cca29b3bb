package files

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/usererr"
)

// penguins is a table as people have them: labels by their name, an id, levels, gaps, times.
const penguins = `id,Species,mass,island,seen,sex,rated
p1,Adelie,3750,Dream,2024-01-01,male,4
p2,Adelie,3800.5,Dream,2024-01-02,female,NA
p3,Gentoo,NA,Biscoe,,female,5
p4,Gentoo,5400,Biscoe,2024-01-04 ,,1
p5,Gentoo,5200,Biscoe,2024-01-04,male,4
p6,Adelie,3300,Dream,2024-01-03,female,5
p7,Gentoo,?,Biscoe,2024-01-02,female,4
p8,Adelie,3650,Dream,2024-01-01,male,5
`

// readText reads text as Read does that of a file of a table.
func readText(t *testing.T, text string, o Options) *Input {
	t.Helper()
	return must.M1(Read(write(t, []byte(text), t.TempDir(), "p.csv"), o))
}

// Kinds are found, what names the rows or their clusters is set apart, and all is told.
func TestReadMixed(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	first := float64(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix())
	const day = 24 * 60 * 60
	want := []tabular.Column{
		{Name: "mass", Kind: tabular.Number, Values: []float64{3750, 3800.5, nan, 5400, 5200, 3300, nan, 3650}},
		{
			Name: "island", Kind: tabular.Category, Values: []float64{0, 0, 1, 1, 1, 0, 1, 0},
			Levels: []string{"Dream", "Biscoe"},
		},
		{
			Name: "seen", Kind: tabular.Time,
			Values: []float64{first, first + day, nan, first + 3*day, first + 3*day, first + 2*day, first + day, first},
		},
		{
			Name: "sex", Kind: tabular.Category, Values: []float64{0, 1, 1, nan, 0, 1, 1, 0},
			Levels: []string{"male", "female"},
		},
		{Name: "rated", Kind: tabular.Number, Values: []float64{4, nan, 5, 1, 4, 5, 4, 5}},
	}
	// two levels of sex need eight rows, and it lacks one
	in := readText(t, penguins, Options{Categorical: []string{"sex"}})
	if got := in.Table().Columns; fmt.Sprint(got) != fmt.Sprint(want) { // NaN equals NaN in text
		t.Errorf("the columns are\n%v, want\n%v", got, want)
	}
	if !slices.Equal(in.Names, []string{"p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"}) || in.NameColumn != "id" ||
		!slices.Equal(in.Classes, []string{"Adelie", "Gentoo"}) {
		t.Errorf("names %q of %s, classes %q", in.Names, in.NameColumn, in.Classes)
	}
	if want := []string{
		`columns that name or count the rows are set apart (FileOptions.Columns takes them): "id"`,
		`columns of times are read as seconds: "seen"`,
		"columns of text are taken as categories (FileOptions.Ignore leaves them out, FileOptions.LabelColumn " +
			`compares with one): "island" (2 levels), "sex" (2 levels)`,
	}; !slices.Equal(in.Notes, want) {
		t.Errorf("notes\n%s", strings.Join(in.Notes, "\n"))
	}
	if want := []string{"", "Biscoe", "", "female", "5"}; !slices.Equal(in.Cells(2), want) {
		t.Errorf("point 2 is %q, want %q", in.Cells(2), want)
	}
	if got := in.Cells(3)[2]; got != "2024-01-04T00:00:00Z" {
		t.Errorf("a time is written %s", got)
	}
}

// An encoding that was kept reads each row again as it was, in a file with other columns beside and in another order,
// and one row is enough.
func TestReadAgain(t *testing.T) {
	t.Parallel()
	in := readText(t, penguins, Options{Categorical: []string{"sex", "rated"}})
	e := must.M1(in.Encode(true))
	var kept tabular.Encoding
	must.M(json.Unmarshal(must.M1(json.Marshal(e)), &kept))
	lines := strings.Split(strings.TrimSpace(penguins), "\n")
	for i, line := range lines[1:] {
		var b strings.Builder
		for _, l := range []string{lines[0], line} {
			cells := strings.Split(l, ",")
			slices.Reverse(cells)
			fmt.Fprintf(&b, "more;%s\n", strings.Join(cells, ";"))
		}
		again := readText(t, b.String(), Options{Encoding: &kept})
		must.M(again.Apply(kept))
		if again.Len() != 1 || !slices.Equal(again.X, in.Point(i)) || again.Warnings[0] == "" {
			t.Errorf("row %d becomes %v, was %v", i, again.X, in.Point(i))
		}
	}
}

func TestReadAgainFaults(t *testing.T) {
	t.Parallel()
	in := readText(t, penguins, Options{Categorical: []string{"sex"}})
	e := must.M1(in.Encode(true))
	dir := t.TempDir()
	for text, want := range map[string]string{
		"mass,island,seen,sexe,rated\n1,Dream,2024-01-01,male,3\n": `p.csv: there is no column "sex", with which ` +
			`the clusters were found; did you mean sexe? name the column as in the file that was clustered, ` +
			`or cluster anew`,
		"mass,island,seen,sex,rated\nheavy,Dream,2024-01-01,male,3\n": `p.csv:2: column "mass": "heavy" is not a`,
		"mass,island,seen,sex,rated\n1,Dream,77,male,3\n": `p.csv: column "seen" holds values of kind number, but ` +
			`the clusters were found with time; write it as in the file that was clustered`,
	} {
		path := write(t, []byte(text), dir, "p.csv")
		in, err := Read(path, Options{Encoding: &e})
		if err == nil {
			err = in.Apply(e)
		}
		wantUserError(t, err, want)
	}
	// without a header, or with equal names, columns go by their numbers
	for _, head := range []string{"", "n,n,m\n"} {
		e = must.M1(readText(t, head+"1,2,9\n3,5,9\n", Options{Columns: []string{"1", "2", "3"}}).Encode(true))
		again := readText(t, head+"3,5,8\n", Options{Encoding: &e})
		must.M(again.Apply(e))
		if !slices.Equal(again.X, []float32{1, 1}) {
			t.Errorf("the second row becomes %v", again.X)
		}
	}
}

// Points far from 0 keep their differences: 36 of them in three clusters, shifted as far as time stamps in seconds are,
// and in the units of the smallest difference that float64 then holds.
func TestShiftedPoints(t *testing.T) {
	t.Parallel()
	at := func(shift float64) *Input {
		var b strings.Builder
		for i := range 36 {
			x, y := float64(i%3)*10+float64(i/3)/8, float64(i%3%2)*10-float64(i/3)/4
			fmt.Fprintf(&b, "%s,%s\n", decimalText(x+shift), decimalText(y+shift))
		}
		in := readText(t, b.String(), Options{})
		must.M(in.Raw())
		return in
	}
	want := at(0)
	for _, shift := range []float64{1e3, 1e7, 1e9, -1.7e9, 1e12} {
		in := at(shift)
		if len(in.Warnings) > 0 {
			t.Errorf("shift %g: warnings %q", shift, in.Warnings)
		}
		for i := range 36 {
			for j := range 2 {
				got := float64(in.Point(i)[j]-in.Point(0)[j]) - float64(want.Point(i)[j]-want.Point(0)[j])
				if !(math.Abs(got) < 1e-3) {
					t.Fatalf("shift %g: point %d is off by %g", shift, i, got)
				}
			}
		}
		other := readText(t, "0,0\n"+decimalText(10+shift)+","+decimalText(10+shift)+"\n", Options{})
		other.Origin = in.Origin
		must.M(other.Raw())
		if !slices.Equal(other.Point(1), in.Point(1)) {
			t.Errorf("shift %g: point 1 is %v, and %v in another file", shift, in.Point(1), other.Point(1))
		}
		if in.Cells(1)[0] != decimalText(10+shift) {
			t.Errorf("shift %g: point 1 is written %q", shift, in.Cells(1))
		}
	}
	if want.Origin != nil {
		t.Errorf("points near 0 are counted from %v", want.Origin)
	}
}

func decimalText(v float64) string { return fmt.Sprintf("%.17g", v) }

// Columns set apart: those that count or name the rows, unless the user chooses them or too few would remain.
func TestSetApart(t *testing.T) {
	t.Parallel()
	rows := func(head, format string) string {
		var b strings.Builder
		b.WriteString(head + "\n")
		for i := range 8 {
			fmt.Fprintf(&b, format+"\n", i+5, (i*i)%7)
		}
		return b.String()
	}
	for _, c := range []struct {
		text    string
		options Options
		columns string
		name    string
	}{
		{rows("n,x,y", "%[1]d,%[2]d,%[2]d.5"), Options{}, "x y", "n"},
		{rows("n,x", "%[1]d,%[2]d"), Options{}, "n x", ""},
		{rows("id,x", "%[1]d,%[2]d"), Options{}, "x", "id"},
		{rows("ID,x", "%[1]d%[2]d,%[2]d"), Options{}, "x", "ID"},
		{rows("id,x", "%[2]d,%[1]d"), Options{}, "id x", ""}, // it repeats
		{rows("id", "%[1]d"), Options{}, "id", ""},
		{rows(",x", "%[1]d,%[2]d"), Options{}, "x", "x1"},
		{rows(",0,1", "%[1]d,%[2]d,%[1]d"), Options{}, "0 1", "x1"}, // pandas writes such names
		{rows("0,1", "%[2]d.5,%[1]d"), Options{}, "0 1", ""},
		{rows("7,9", "%[2]d.5,%[1]d"), Options{}, "x1 x2", ""},
		{rows("1990,2000,2010,2020,2030", "%[2]d,%[2]d,7,7,8"), Options{}, "1990 2000 2010 2020 2030", ""},
		{rows("who,x", "a%[1]d,%[2]d"), Options{}, "x", "who"},
		{rows("id,x", "%[1]d,%[2]d"), Options{Columns: []string{"id", "x"}}, "id x", ""},
		{rows("id,x,y", "%[1]d,%[2]d,3"), Options{Ignore: []string{"x"}}, "y", "id"},
		{rows("Species,x", "%[2]d,%[1]d.5"), Options{}, "x", ""},
	} {
		in := readText(t, c.text, c.options)
		if got := strings.Join(in.Columns, " "); got != c.columns || in.NameColumn != c.name ||
			c.name != "" && in.Names[1] == "" {
			t.Errorf("%q: columns %q, names from %q, want %q and %q", c.text[:9], got, in.NameColumn, c.columns, c.name)
		}
	}
}

// Codes beside a gap, as data frames write them, are the codes without a gap.
func TestCodesBesideGaps(t *testing.T) {
	t.Parallel()
	in := readText(t, "a,b\n3.0,1\n,2\n7.0,3\n3,4\n", Options{Categorical: []string{"a"}})
	if levels := in.Table().Columns[0].Levels; !slices.Equal(levels, []string{"3", "7"}) {
		t.Errorf("levels %q", levels)
	}
}

// Ways to write times, of which a column has one; a later day may settle what an earlier one left open.
func TestTimes(t *testing.T) {
	t.Parallel()
	const day = 1704412800 // 5 January 2024
	for _, c := range []struct {
		texts []string
		want  []float64
	}{
		{[]string{"2024-01-05", "", "2024-01-06"}, []float64{day, math.NaN(), day + 86400}},
		{[]string{"2024-01-05T12:00:01.5Z", "2024-01-05T13:00:01+01:00"}, []float64{day + 43201.5, day + 43201}},
		{[]string{"5.1.2024 00:01", "05.01.2024 12:00"}, []float64{day + 60, day + 43200}},
		{[]string{"05/01/2024", "15/01/2024"}, []float64{day, day + 10*86400}},
		{[]string{"01/05/2024", "01/15/2024"}, []float64{day, day + 10*86400}},
		{[]string{"03/03/2024"}, []float64{1709424000}}, // the same either way
		{[]string{"00:01", "23:00"}, []float64{60, 82800}},
		{[]string{"Jan 5, 2024"}, []float64{day}},
		{[]string{"February 2024"}, []float64{day + 27*86400}},
		{[]string{"05.01.24"}, []float64{day}},
		{[]string{"05-jan-24"}, []float64{day}},
		{[]string{"01/05/24", "01/15/24"}, []float64{day, day + 10*86400}},
		{[]string{"05-01-2024", "15-01-2024"}, []float64{day, day + 10*86400}},
		{[]string{"02:20 PM", "12:01 am"}, []float64{51600, 60}},
		{[]string{"2024-01-05", "yesterday"}, nil},
		{[]string{"2024-13-05"}, nil},
	} {
		got, _, fault := timesOf(c.texts)
		if fault != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q are %v (%v), want %v", c.texts, got, fault, c.want)
		}
	}
	_, row, fault := timesOf([]string{"03/03/2024", "05/01/2024"})
	if fault == nil || row != 1 || fault.Msg != `"05/01/2024" may be 1 May or 5 January` {
		t.Errorf("row %d: %v", row, fault)
	}
}

// The columns of a Parquet table are those of the same table in text, with NULL for what is missing.
func TestParquetMixed(t *testing.T) {
	t.Parallel()
	type row struct {
		Mass *float64  `parquet:"mass,optional"`
		Sex  *string   `parquet:"sex,optional"`
		Seen time.Time `parquet:"seen,timestamp(microsecond)"`
		Rank int32     `parquet:"rank"`
	}
	var rows []row
	text := "mass,sex,seen,rank\n"
	for i := range 16 {
		mass, sex := 3000+100.25*float64(i*i%11), []string{"male", "female"}[i/3%2]
		r := row{&mass, &sex, time.Date(2024, 1, 1+i%5, 7, 0, 0, 0, time.UTC), int32(i * i % 5)}
		cells := []string{fmt.Sprint(mass), sex}
		if i == 4 {
			r.Mass, cells[0] = nil, "null"
		}
		if i == 5 {
			r.Sex, cells[1] = nil, ""
		}
		rows = append(rows, r)
		text += fmt.Sprintf("%s,%s,%d\n", strings.Join(cells, ","), r.Seen.Format(time.RFC3339), r.Rank)
	}
	want := readText(t, text, Options{})
	in := must.M1(Read(write(t, parquetBytes(rows), t.TempDir(), "p.parquet"), Options{}))
	if fmt.Sprint(in.Table().Columns) != fmt.Sprint(want.Table().Columns) || len(in.Columns) != 4 {
		t.Errorf("the columns are\n%v, want\n%v", in.Table().Columns, want.Table().Columns)
	}
	a, b := must.M1(in.Encode(true)), must.M1(want.Encode(true))
	if fmt.Sprint(a) != fmt.Sprint(b) || !slices.Equal(in.X, want.X) {
		t.Errorf("encoded by\n%v, want\n%v", a, b)
	}
}

// FuzzRead: whatever the text and the options, there is a table of finite numbers, which an encoding gives twice alike,
// or a fault of the user in one line.
func FuzzRead(f *testing.F) {
	f.Add(penguins, "", "", "", "sex", "auto", rune(0))
	f.Add("a;b\n1,5;01.02.2024\n-1.234,25;13.02.2024\n", "", "", "", "", "yes", rune(0))
	f.Add("1\t2\t3\n3\t4\t5\n", "1 3", "2", "", "", "no", '\t')
	for _, c := range faults {
		f.Add(c.text, strings.Join(c.opts.Columns, " "), c.opts.LabelColumn, strings.Join(c.opts.Ignore, " "),
			strings.Join(c.opts.Categorical, " "), c.opts.Header, c.opts.Comma)
	}
	f.Fuzz(func(t *testing.T, text, columns, label, ignore, categorical, header string, comma rune) {
		o := Options{
			Columns: strings.Fields(columns), LabelColumn: label, Ignore: strings.Fields(ignore),
			Categorical: strings.Fields(categorical), Header: header, Comma: comma,
		}
		read := func(o Options, makePoints func(*Input) error) *Input {
			in, err := parse("p.csv", strings.NewReader(text), o)
			if err == nil {
				err = makePoints(in)
			}
			if err == nil {
				checkInput(t, in)
				return in
			}
			if !usererr.Is(err) || strings.ContainsAny(err.Error(), "\r\n") {
				t.Fatalf("no one-line user fault: %q", err)
			}
			return nil
		}
		read(o, (*Input).Raw)
		var e tabular.Encoding
		in := read(o, func(in *Input) (err error) { e, err = in.Encode(true); return err })
		if in == nil || columns != "" || label != "" { // a repeated name may be chosen by its number
			return
		}
		again := read(Options{Encoding: &e, Header: header, Comma: comma}, func(in *Input) error { return in.Apply(e) })
		if again == nil || !slices.Equal(again.X, in.X) || e.Dim() != in.D {
			t.Fatalf("%+v is encoded again as %+v", in, again)
		}
	})
}

// A matrix becomes the points that a file of its numbers becomes, raw and encoded, and faults name its rows.
func TestFromMatrix(t *testing.T) {
	nan := math.NaN()
	whole, gap := []float64{1e9 + 1, 2, 1e9 + 2, 3.5, 1e9 + 5, -1}, []float64{1, 2, nan, 3, 4, 4, 0, 1}
	for name, c := range map[string]struct {
		x    []float64
		text string
		make func(in *Input) error
	}{
		"raw": {whole, "a,b\n1000000001,2\n1000000002,3.5\n1000000005,-1\n", (*Input).Raw},
		"encoded": {gap, "a,b\n1,2\n,3\n4,4\n0,1\n", func(in *Input) error {
			_, err := in.Encode(true)
			return err
		}},
	} {
		want := readText(t, c.text, Options{})
		got := FromMatrix("X", c.x, 2, []string{"a", "b"})
		if plain := name == "raw"; got.IsPlain() != plain || !got.IsMixed() || got.Len() != len(c.x)/2 {
			t.Errorf("%s: plain %v, mixed %v, %d points", name, got.IsPlain(), got.IsMixed(), got.Len())
		}
		must.M(c.make(want))
		must.M(c.make(got))
		if !reflect.DeepEqual(got.X, want.X) || !reflect.DeepEqual(got.Origin, want.Origin) ||
			!reflect.DeepEqual(got.Encoding, want.Encoding) || !reflect.DeepEqual(got.Notes, want.Notes) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	err := FromMatrix("X", gap, 2, nil).Raw()
	if err == nil || !strings.HasPrefix(err.Error(), `X: row 2, column "x1"`) {
		t.Errorf("a gap: %v", err)
	}
}

// A data frame knows its gaps: in a column of text only empty cells and NaN are missing.
func TestFrame(t *testing.T) {
	in := readText(t, "# a,b\nNA,1\nEU,NA\nNaN,2\n,?\n", Options{Frame: true, Categorical: []string{"# a"}})
	if got := fmt.Sprint(in.Table().Columns); !strings.Contains(got, "{# a category [0 1 NaN NaN] [NA EU]} {b number") {
		t.Error(got)
	}
}

// A few rows may have labels, beside vectors as beside numbers.
func TestLabelsBesideVectors(t *testing.T) {
	in := readText(t, "v,g\n\"[1, 2]\",a\n\"[3, 4]\",\n", Options{Aside: []string{"g"}})
	if must.M(in.Raw()); !slices.Equal(in.X, []float32{1, 2, 3, 4}) || in.Aside[0].Cell(0) != "a" || in.IsMixed() {
		t.Errorf("points %v, labels %v", in.X, in.Aside)
	}
}
