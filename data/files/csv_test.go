package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Parse reads text as Open does that of a file with this name.
func Parse(name string, r io.Reader, o Options) (*Input, error) {
	in, err := parse(name, r, o)
	if err == nil {
		err = in.Raw()
	}
	return in, err
}

// parse reads text as Read does.
func parse(name string, r io.Reader, o Options) (*Input, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	content, err := fileio.ReadAll(name, r)
	if err != nil {
		return nil, err
	}
	in, err := readTable(name, content, o.trimmed())
	if err != nil {
		return nil, err
	}
	in.finish(name, o)
	return in, nil
}

// shown writes what was read of a table: its columns, each row with its line and label, and the warnings.
func shown(in *Input) string {
	lines := []string{strings.Join(in.Columns, ",")}
	for i, line := range in.Lines {
		row := fmt.Sprint(line, ": ", in.Point(i))
		if in.Labels != nil {
			row += " " + in.Classes[in.Labels[i]]
		}
		lines = append(lines, row)
	}
	return strings.Join(append(lines, in.Warnings...), "\n")
}

// parseCase is the text of a file, how it is read, and what is shown of it.
type parseCase struct {
	name, text, want string
	opts             Options
}

func parsed(name, text, want string, opts ...Options) parseCase {
	return parseCase{name, text, want, append(opts, Options{})[0]}
}

func TestParse(t *testing.T) {
	for _, c := range []parseCase{
		parsed("header", "x,y\n1,2\n-3.5,4e-1\n", "x,y\n2: [1 2]\n3: [-3.5 0.4]"),
		parsed("no header, no last line end", "1,2\n3,4", "x1,x2\n1: [1 2]\n2: [3 4]"),
		parsed("BOM, CRLF, blank lines, comments, spaces, quotes",
			"\ufeff# made by hand\r\n\r\n \"x\", y z \r\n  \r\n\"1\", 2 \r\n#3,4,5\r\n 5 ,\"6\"\r\n",
			"x,y z\n5: [1 2]\n7: [5 6]"),
		parsed("quoted cell over two lines", "\"x\n1\",y\n1,2\n3,4\n", "x\n1,y\n3: [1 2]\n4: [3 4]"),
		parsed("semicolons sniffed", "a,b;y\n1;2\n3;4\n", "a,b,y\n2: [1 2]\n3: [3 4]"),
		parsed("separator given", "1|2\n3|4\n", "x1,x2\n1: [1 2]\n2: [3 4]", Options{Comma: '|'}),
		parsed("one column", "1\n\n2\n", "x1\n1: [1]\n3: [2]"),
		parsed("label set apart", "x,class,y\n1,b,2\n3,a,4\n5,b,6\n", "x,y\n2: [1 2] b\n3: [3 4] a\n4: [5 6] b\n"+
			`column "class" is set apart as the labels; rename it to use it as a coordinate `+
			`(or list it in FileOptions.Columns)`),
		parsed("label as coordinate", "x,label\n1,2\n3,4\n", "label,x\n2: [2 1]\n3: [4 3]",
			Options{Columns: []string{" label ", "1"}}),
		parsed("label by name, text header only there", "2019,2020,kind\n1,2,7\n3,4,7\n",
			"2019,2020\n2: [1 2] 7\n3: [3 4] 7", Options{LabelColumn: "kind", Header: "yes"}),
		parsed("label by number without header", "1,2,red\n3,4,blue\n", "x1,x2\n1: [1 2] red\n2: [3 4] blue",
			Options{LabelColumn: "3"}),
		parsed("columns by number without header", "a,1,2\nb,3,4\n", "x3,x2\n1: [2 1]\n2: [4 3]",
			Options{Columns: []string{"3", "2"}}),
		parsed("columns by the names that they get", "a,1,2\nb,3,4\n", "x3,x2\n1: [2 1]\n2: [4 3]",
			Options{Header: "no", Columns: []string{"x3", "2"}}),
		parsed("a name wins over a number", "2,1\n5,6\n7,8\n", "1\n2: [6]\n3: [8]",
			Options{Header: "yes", Columns: []string{"1"}}),
		parsed("numbers among equal names", "x,x,y\n5,6,1\n7,8,2\n", "x2,x1,y\n2: [6 5 1]\n3: [8 7 2]",
			Options{Columns: []string{"2", "1", "y"}}),
		parsed("all numbers are data", "2019,2020\n1,2\n", "x1,x2\n1: [2019 2020]\n2: [1 2]"),
		parsed("doubtful header and row numbers", ",1.5,2.o\n0,3,4\n1,5,6\n", "1.5,2.o\n2: [3 4]\n3: [5 6]\n"+
			`line 1 is taken as the header, although "1.5" may be a value; use FileOptions.Header no if it is a point`),
		parsed("one duplicate, signed zeros", "0,1\n-0,1\n0,1\n0,2\n",
			"x1,x2\n1: [0 1]\n2: [-0 1]\n3: [0 1]\n4: [0 2]\n1 point occurs 3 times"),
		parsed("decimal commas, as a German Excel writes them", "a;b\n1,5;2\n-1.234,25;3e1\n",
			"a,b\n2: [1.5 2]\n3: [-1234.25 30]"),
		parsed("a column left out", "a,b,c\n1,x y,2\n3,€ 5,4\n", "a,c\n2: [1 2]\n3: [3 4]",
			Options{Ignore: []string{"b"}}),
		parsed("extreme numbers", "3.4028234e38,1e-60\n-3.4028234e38,+.5\n",
			"x1,x2\n1: [3.4028235e+38 0]\n2: [-3.4028235e+38 0.5]"),
	} {
		if got := shown(must.M1(Parse("p.csv", strings.NewReader(c.text), c.opts))); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestLongInput reads more than the part that is looked at first, in small pieces, with a fault on the last line.
func TestLongInput(t *testing.T) {
	const n = 20000 // more than sampleRows
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,0.5\n", i)
	}
	table := must.M1(Parse("p.csv", iotest.HalfReader(strings.NewReader(b.String())), Options{}))
	if len(table.X) != 2*n || table.X[2*n-2] != n-1 || table.Lines[n-1] != n || len(table.Warnings) != 1 {
		t.Errorf("%d numbers, line %d, warnings %q", len(table.X), table.Lines[n-1], table.Warnings)
	}
	_, err := Parse("p.csv", strings.NewReader(b.String()+"1,\x00\n"), Options{})
	testfiles.WantFault(t, err, `p.csv: the file is binary data, not text`+saveText)
}

func TestReaderErrorIsNoUserFault(t *testing.T) {
	broken := errors.New("broken")
	for _, text := range []string{"", "x,y\n", strings.Repeat("1,2\n", sampleRows)} {
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
	must.M1(io.WriteString(w, "1,2\n3,abc\n"))
	must.M(w.Close())
	_, err = Open("-", Options{})
	testfiles.WantFault(t, err, `standard input:2: column 2: `+abc)
}
