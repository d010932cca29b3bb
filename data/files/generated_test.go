package files

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/usererr"
)

// generated is a table made up from a seed, and how it is written.
type generated struct {
	*rand.Rand
	comma, mark   string
	names         []string
	truth         [][]float64 // by column, NaN where a cell is missing
	label, tagged bool        // there is a last column of labels, and a first one of names
	lines         []string
	skipped       int // lines that are no rows
}

// newGenerated makes a table of 5 to 40 rows and 2 to 6 columns of numbers.
func newGenerated(seed uint64) *generated {
	g := &generated{Rand: rand.New(rand.NewPCG(seed, 39))}
	g.comma, g.mark = pick(g, ",", ",", ";", "\t", "|"), "."
	if g.comma != "," && g.IntN(3) == 0 {
		g.mark = ","
	}
	g.label, g.tagged = g.IntN(2) == 0, g.IntN(2) == 0
	rows, columns := 5+g.IntN(36), 2+g.IntN(5)
	cells := make([][]string, rows)
	g.names = make([]string, columns)
	for j := range columns {
		g.names[j] = fmt.Sprintf("größe %d", j+1)
		write := g.style()
		values := make([]float64, rows)
		for i := range rows {
			var cell string
			if values[i], cell = math.NaN(), pick(g, "", "NA", "None", "#N/A", ".", "<NA>"); i < 2 || g.IntN(9) > 0 {
				values[i], cell = write()
			}
			cells[i] = append(cells[i], cell)
		}
		g.truth = append(g.truth, values)
	}
	header := slices.Clone(g.names)
	for i := range cells {
		if g.tagged {
			cells[i] = slices.Insert(cells[i], 0, fmt.Sprintf("%s%c%d", pick(g, "#", "é", ""), 'a'+i%26, i))
		}
		if g.label {
			cells[i] = append(cells[i], pick(g, "Ä", "None", "1"))
		}
	}
	if g.tagged {
		header = slices.Insert(header, 0, "tag")
	}
	if g.label {
		header = append(header, "class")
	}
	g.write(append([][]string{header}, cells...))
	return g
}

// pick is one of some choices.
func pick[T any](g *generated, choices ...T) T { return choices[g.IntN(len(choices))] }

// style returns a way to write the numbers of a column.
func (g *generated) style() func() (float64, string) {
	decimal := func(v float64, format byte, digits int) string {
		return strings.Replace(strconv.FormatFloat(v, format, digits, 64), ".", g.mark, 1)
	}
	round := func(v float64) float64 { return must.M1(strconv.ParseFloat(strconv.FormatFloat(v, 'f', 3, 64), 64)) }
	return pick(g,
		func() (float64, string) { v := round(g.NormFloat64()); return v, decimal(v, 'f', 3) },
		func() (float64, string) { v := round(1e4 * g.NormFloat64()); return v, decimal(v, 'e', -1) },
		func() (float64, string) { v := round(g.Float64()); return v, decimal(v, 'f', 3) + "%" },
		func() (float64, string) {
			v := round(g.NormFloat64())
			return v, strings.Replace(decimal(v, 'e', -1), "e", "D", 1)
		},
		func() (float64, string) {
			v := round(-g.Float64() - 1)
			return v, strings.Replace(decimal(v, 'f', -1), "-", "−", 1)
		},
		func() (float64, string) {
			v := 1000 + g.IntN(8000)
			return float64(v), fmt.Sprintf("%d'%03d", v/1000, v%1000)
		},
		func() (float64, string) { v := float64(g.IntN(1e9)); return v, decimal(v, 'f', -1) },
	)
}

// write makes the lines of rows of cells, with quotes, comments, blank lines and separators at the ends here and there.
func (g *generated) write(rows [][]string) {
	quotes, ends, comments := g.IntN(3) == 0, g.IntN(4) == 0, g.IntN(3) == 0
	if g.comma != "|" && g.IntN(4) == 0 {
		g.lines = append(g.lines, "sep="+g.comma)
	}
	for i, row := range rows {
		for j, cell := range row {
			if quotes && g.IntN(2) == 0 || strings.Contains(cell, g.comma) {
				row[j] = `"` + cell + `"`
			}
		}
		line := strings.Join(row, g.comma)
		if i > 0 && ends {
			line += g.comma
		}
		g.lines = append(g.lines, line)
		if comments && g.IntN(5) == 0 {
			g.lines = append(g.lines, pick(g, "# a word", "#", "", "  "))
			g.skipped++
		}
	}
}

// text is the table in one of some encodings.
func (g *generated) text() (string, error) {
	end := pick(g, "\n", "\r\n")
	text := strings.Join(g.lines, end) + pick(g, end, "")
	return pick[encoding.Encoding](g, encoding.Nop, encoding.Nop, unicode.UTF8BOM, charmap.Windows1252,
		unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)).NewEncoder().String(text)
}

// TestGeneratedTables reads tables that other programs might write. Each number of each row is read.
func TestGeneratedTables(t *testing.T) {
	short.Skip(t, "takes some seconds")
	t.Parallel()
	for seed := range uint64(2000) {
		g := newGenerated(seed)
		text, err := g.text()
		if err != nil { // a sign that the encoding has not
			continue
		}
		in, err := parse("p.csv", strings.NewReader(text), Options{Header: "yes"})
		if err != nil {
			t.Errorf("seed %d: %v\n%.300s", seed, err, text)
			continue
		}
		if !slices.Equal(in.Columns, g.names) || in.Len() != len(g.truth[0]) ||
			g.label != (in.Labels != nil) || g.tagged != (in.Names != nil) {
			t.Errorf("seed %d: %d rows of %q, want %d of %q, said %q\n%.300s",
				seed, in.Len(), in.Columns, len(g.truth[0]), g.names, in.Notes, text)
			continue
		}
		for j, want := range g.truth {
			got := in.Table().Columns[j].Values
			if !slices.EqualFunc(got, want, func(a, b float64) bool { return a == b || a != a && b != b }) {
				t.Errorf("seed %d: column %d holds %v, want %v\n%.300s", seed, j, got, want, text)
			}
		}
	}
}

// harmed is content after some accidents: bytes are changed, lost, doubled, or cut off.
func harmed(rng *rand.Rand, content []byte) []byte {
	bad := bytes.Clone(content)
	for range 1 + rng.IntN(3) {
		if len(bad) < 2 {
			return bad
		}
		at := rng.IntN(len(bad))
		to := min(len(bad), at+1+rng.IntN(20))
		switch rng.IntN(6) {
		case 0:
			bad[at] ^= 1 << rng.IntN(8)
		case 1:
			bad[at] = "\",;#\n\r\x00[-.%eE9"[rng.IntN(14)]
		case 2:
			bad = slices.Delete(bad, at, to)
		case 3:
			bad = slices.Insert(bad, at, bad[at:to]...)
		case 4:
			bad = bad[:at]
		case 5:
			bad = slices.Insert(bad, at, "\n#,\"'NA\x1b\xff[1"[rng.IntN(11)])
		}
	}
	return bad
}

// commentsSkipped finds the note's count of comment lines.
var commentsSkipped = regexp.MustCompile(`(\d+) comment lines? (?:is|are) skipped`)

// checkLoss compares what was read of a text with its records: each is a row or is said to be none, and each column is
// named somewhere.
func checkLoss(in *Input, text string, comma rune) error {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = comma, -1, comma != '\t'
	records, err := r.ReadAll()
	if err != nil {
		return nil // a comment may hold a quote
	}
	rows := slices.DeleteFunc(records, func(row []string) bool {
		return len(row) == 1 && strings.TrimSpace(row[0]) == ""
	})
	if len(rows) > 0 && separatorLine.MatchString(text) {
		rows = rows[1:]
	}
	said := strings.Join(slices.Concat(in.Notes, in.Warnings), "\n")
	skipped := 0
	if m := commentsSkipped.FindStringSubmatch(said); m != nil {
		skipped = must.M1(strconv.Atoi(m[1]))
	}
	if n := in.Len() + 1 + skipped; n != len(rows) {
		return fmt.Errorf("%d of %d records are rows, the header or comments", n, len(rows))
	}
	i := slices.IndexFunc(rows, func(row []string) bool { return len(row) > 1 && !strings.HasPrefix(row[0], "# ") })
	for _, name := range rows[max(i, 0)] {
		if !utf8.ValidString(name) {
			name = must.M1(charmap.Windows1252.NewDecoder().String(name))
		}
		name = strings.TrimSpace(name)
		if name != "" && !slices.Contains(in.Columns, name) && in.NameColumn != name &&
			!strings.Contains(said, strconv.Quote(name)) {
			return fmt.Errorf("column %q is lost", name)
		}
	}
	return nil
}

// TestHarmedTables reads tables after accidents. Each is refused in a line, or no row and no column is lost unsaid.
func TestHarmedTables(t *testing.T) {
	short.Skip(t, "takes some seconds")
	t.Parallel()
	read := 0
	for seed := range uint64(2000) {
		g := newGenerated(seed)
		text := string(harmed(g.Rand, []byte(strings.Join(g.lines, "\n")+"\n")))
		in, err := parse("p.csv", strings.NewReader(text), Options{Header: "yes", Comma: rune(g.comma[0])})
		if err != nil {
			if !usererr.Is(err) || strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("seed %d: no one-line user fault: %q", seed, err)
			}
			continue
		}
		read++
		if err := checkLoss(in, text, rune(g.comma[0])); err != nil {
			t.Errorf("seed %d: %v, said %q\n%s", seed, err, slices.Concat(in.Notes, in.Warnings), text)
		}
	}
	if read < 200 {
		t.Errorf("%d tables are read, too few to see a loss", read)
	}
}

// TestHarmedFiles reads files of the other formats after accidents. Each is refused in a line, or has all rows.
func TestHarmedFiles(t *testing.T) {
	short.Skip(t, "takes some seconds")
	t.Parallel()
	files := parquetFiles()
	files["a.npy"] = npyBytes("<f4", false, "4, 2", bytesOf(little, sampleX)...)
	files["b.npy"] = npyBytes("<i8", true, "2, 3", bytesOf(little, []int64{1, 2, 3, 4, 5, 6})...)
	files["a.png"] = pngBytes(greyImage(2, 3, 1, 2, 3, 4, 5, 6))
	files["a.csv.gz"] = packed([]byte(sampleCSV))
	dir, seed := t.TempDir(), uint64(0)
	for name, content := range files {
		folder := filepath.Join(dir, name)
		path := filepath.Join(folder, filepath.Base(name))
		write(t, content, path)
		whole := must.M1(Read(openName(path), Options{}))
		for range 400 {
			seed++
			checkFile(t, path, harmed(rand.New(rand.NewPCG(seed, 39)), content))
			in, err := Read(openName(path), Options{})
			if err == nil && in.Len() != whole.Len() {
				t.Errorf("%s, seed %d: %d rows of %d are read", name, seed, in.Len(), whole.Len())
			}
		}
	}
}

// openName is what names a file on the command line: the folder of a picture.
func openName(path string) string {
	if isPictureName(path) {
		return filepath.Dir(path)
	}
	return path
}

// endless gives the same bytes again and again, and counts them.
type endless struct {
	text  string
	given int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[(e.given+i)%len(e.text)]
	}
	e.given += len(p)
	return len(p), nil
}

// Rows, a row, a cell and a line of comment without an end are refused before they fill the memory.
func TestEndlessTables(t *testing.T) {
	must.M(memory.SetLimit("64MB"))
	t.Cleanup(func() { must.M(memory.SetLimit("1TB")) })
	for _, text := range []string{"1,2\n", "abcdefghij,2\n", "\"a", "# "} {
		from := &endless{text: text}
		_, err := parse("p.csv", from, Options{Header: "no"})
		if !usererr.Is(err) || from.given > 20<<20 {
			t.Errorf("%q: %d bytes read, %v", text, from.given, err)
		}
	}
}
