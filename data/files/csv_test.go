package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Table is what an Input says of a table of text.
type Table struct {
	X          []float32
	Columns    []string
	Labels     []int32
	LabelNames []string
	Lines      []int
	Warnings   []string
}

// Parse reads text as Open does that of a file with this name.
func Parse(name string, r io.Reader, o Options) (*Table, error) {
	in, err := parse(name, r, o)
	if err == nil {
		err = in.Raw()
	}
	if err != nil {
		return nil, err
	}
	return &Table{in.X, in.Columns, in.Labels, in.Classes, in.Lines, in.Warnings}, nil
}

// parse reads text as Read does.
func parse(name string, r io.Reader, o Options) (*Input, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	in, err := readTable(&opened{path: name, in: bufio.NewReader(r)}, o.trimmed())
	if err != nil {
		return nil, err
	}
	return in.finish(name, o)
}

// parseCase is the text of a file, how it is read, and the table that it is.
type parseCase struct {
	name, text string
	want       Table
	opts       Options
}

func parsed(name, text string, want Table, opts ...Options) parseCase {
	return parseCase{name, text, want, append(opts, Options{})[0]}
}

func TestParse(t *testing.T) {
	cases := []parseCase{
		parsed("header", "x,y\n1,2\n-3.5,4e-1\n",
			Table{X: []float32{1, 2, -3.5, 0.4}, Columns: []string{"x", "y"}, Lines: []int{2, 3}}),
		parsed("no header, no last line end", "1,2\n3,4",
			Table{X: []float32{1, 2, 3, 4}, Columns: []string{"x1", "x2"}, Lines: []int{1, 2}}),
		parsed("BOM, CRLF, blank lines, comments, spaces, quotes",
			"\ufeff# made by hand\r\n\r\n \"x\", y z \r\n  \r\n\"1\", 2 \r\n#3,4,5\r\n 5 ,\"6\"\r\n",
			Table{X: []float32{1, 2, 5, 6}, Columns: []string{"x", "y z"}, Lines: []int{5, 7}}),
		parsed("quoted cell over two lines", "\"x\n1\",y\n1,2\n3,4\n",
			Table{X: []float32{1, 2, 3, 4}, Columns: []string{"x\n1", "y"}, Lines: []int{3, 4}}),
		parsed("tabs sniffed", "1\t2\n3\t4\n",
			Table{X: []float32{1, 2, 3, 4}, Columns: []string{"x1", "x2"}, Lines: []int{1, 2}}),
		parsed("semicolons sniffed", "a,b;y\n1;2\n3;4\n",
			Table{X: []float32{1, 2, 3, 4}, Columns: []string{"a,b", "y"}, Lines: []int{2, 3}}),
		parsed("separator given", "1|2\n3|4\n",
			Table{X: []float32{1, 2, 3, 4}, Columns: []string{"x1", "x2"}, Lines: []int{1, 2}}, Options{Comma: '|'}),
		parsed("one column", "1\n\n2\n",
			Table{X: []float32{1, 2}, Columns: []string{"x1"}, Lines: []int{1, 3}}),
		parsed("label set apart", "x,class,y\n1,b,2\n3,a,4\n5,b,6\n",
			Table{
				X: []float32{1, 2, 3, 4, 5, 6}, Columns: []string{"x", "y"}, Lines: []int{2, 3, 4},
				Labels: []int32{0, 1, 0}, LabelNames: []string{"b", "a"},
				Warnings: []string{
					`column "class" is set apart as the labels; list it in --columns to use it as a coordinate`,
				},
			}),
		parsed("label as coordinate", "x,label\n1,2\n3,4\n",
			Table{X: []float32{2, 1, 4, 3}, Columns: []string{"label", "x"}, Lines: []int{2, 3}},
			Options{Columns: []string{" label ", "1"}}),
		parsed("label by name, text header only there", "2019,2020,kind\n1,2,7\n3,4,7\n",
			Table{
				X: []float32{1, 2, 3, 4}, Columns: []string{"2019", "2020"}, Lines: []int{2, 3},
				Labels: []int32{0, 0}, LabelNames: []string{"7"},
			}, Options{LabelColumn: "kind", Header: "yes"}),
		parsed("label by number without header", "1,2,red\n3,4,blue\n",
			Table{
				X: []float32{1, 2, 3, 4}, Columns: []string{"x1", "x2"}, Lines: []int{1, 2},
				Labels: []int32{0, 1}, LabelNames: []string{"red", "blue"},
			}, Options{LabelColumn: "3"}),
		parsed("columns by number without header", "a,1,2\nb,3,4\n",
			Table{X: []float32{2, 1, 4, 3}, Columns: []string{"x3", "x2"}, Lines: []int{1, 2}},
			Options{Columns: []string{"3", "2"}}),
		parsed("a name wins over a number", "2,1\n5,6\n7,8\n",
			Table{X: []float32{6, 8}, Columns: []string{"1"}, Lines: []int{2, 3}},
			Options{Header: "yes", Columns: []string{"1"}}),
		parsed("all numbers are data", "2019,2020\n1,2\n",
			Table{X: []float32{2019, 2020, 1, 2}, Columns: []string{"x1", "x2"}, Lines: []int{1, 2}}),
		parsed("doubtful header and row numbers", ",1.5,2.o\n0,3,4\n1,5,6\n",
			Table{
				X: []float32{3, 4, 5, 6}, Columns: []string{"1.5", "2.o"}, Lines: []int{2, 3},
				Warnings: []string{
					`line 1 is taken as the header, although "1.5" is a number; use --header no if it is a point`,
				},
			}),
		parsed("commented header", "# x,y\n1,2\n3,4\n",
			Table{
				X: []float32{1, 2, 3, 4}, Columns: []string{"x", "y"}, Lines: []int{2, 3},
			}),
		parsed("one duplicate, signed zeros", "0,1\n-0,1\n0,1\n0,2\n",
			Table{
				X: []float32{0, 1, float32(math.Copysign(0, -1)), 1, 0, 1, 0, 2}, Columns: []string{"x1", "x2"},
				Lines: []int{1, 2, 3, 4}, Warnings: []string{"1 point occurs 3 times"},
			}),
		parsed("decimal commas, as a German Excel writes them", "a;b\n1,5;2\n-1.234,25;3e1\n",
			Table{X: []float32{1.5, 2, -1234.25, 30}, Columns: []string{"a", "b"}, Lines: []int{2, 3}}),
		parsed("a column left out", "a,b,c\n1,x y,2\n3,€ 5,4\n",
			Table{X: []float32{1, 2, 3, 4}, Columns: []string{"a", "c"}, Lines: []int{2, 3}},
			Options{Ignore: []string{"b"}}),
		parsed("extreme numbers", "3.4028234e38,1e-60\n-3.4028234e38,+.5\n",
			Table{
				X:       []float32{math.MaxFloat32, 0, -math.MaxFloat32, 0.5},
				Columns: []string{"x1", "x2"}, Lines: []int{1, 2},
			}),
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := must.M1(Parse("p.csv", strings.NewReader(c.text), c.opts))
			if !reflect.DeepEqual(*got, c.want) {
				t.Errorf("got  %+v\nwant %+v", *got, c.want)
			}
		})
	}
}

// The name of a file may say that tabs separate the cells; an empty cell between two tabs keeps its place.
func TestTabsByName(t *testing.T) {
	const text = "a,b,c\t\tb\n1\t9\t2\n3\t\t4\n"
	table, err := Parse("p.TSV", strings.NewReader(text), Options{Columns: []string{"1", "b"}})
	if err != nil || !slices.Equal(table.X, []float32{1, 2, 3, 4}) {
		t.Errorf("%+v, %v", table, err)
	}
}

// TestLongInput reads more than the part that is looked at first, in small pieces, with a fault on the last line.
func TestLongInput(t *testing.T) {
	const n = 20000 // 20000 lines of at least 6 bytes pass sniffSize
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,0.5\n", i)
	}
	table := must.M1(Parse("p.csv", iotest.HalfReader(strings.NewReader(b.String())), Options{}))
	if len(table.X) != 2*n || table.X[2*n-2] != n-1 || table.Lines[n-1] != n || len(table.Warnings) != 1 {
		t.Errorf("%d numbers, line %d, warnings %q", len(table.X), table.Lines[n-1], table.Warnings)
	}
	_, err := Parse("p.csv", strings.NewReader(b.String()+"1,\x00\n"), Options{})
	wantFault(t, err, `p.csv:20001: cell 2, "\x00", is no text`+saveText)
}

func TestReaderErrorIsNoUserFault(t *testing.T) {
	broken := errors.New("broken")
	for _, text := range []string{"", "x,y\n", strings.Repeat("1,2\n", sniffSize/2)} {
		r := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		if _, err := Parse("p.csv", r, Options{}); !errors.Is(err, broken) || usererr.Is(err) {
			t.Errorf("after %d bytes: %v", len(text), err)
		}
	}
}

func TestReadStandardInput(t *testing.T) {
	r, w, err := os.Pipe()
	must.M(err)
	old := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = old }()
	must.M1(io.WriteString(w, "1,2\n3,x\n"))
	must.M(w.Close())
	_, err = Open("-", Options{})
	wantFault(t, err, `standard input:2: column 2: "x" is not a number`+number)
}
