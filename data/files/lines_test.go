package files

import (
	"slices"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
)

// What lines become: a point, "" for none, or a fault.
func TestPointLines(t *testing.T) {
	type answer struct {
		x    []float64
		want string // of the fault
	}
	point := func(x ...float64) answer { return answer{x, ""} }
	none, fault := answer{}, func(want string) answer { return answer{nil, want} }
	for name, c := range map[string]struct {
		columns []string
		lines   []string
		want    []answer
	}{
		"plain": {
			nil,
			[]string{"\ufeff1,2", "", " 3.5 , -4e1\r", "5 6", "7\t8", "0,5;1,25", "1;2", `"1","2"`},
			[]answer{
				point(1, 2), none, point(3.5, -40), point(5, 6), point(7, 8), point(.5, 1.25), point(1, 2),
				point(1, 2),
			},
		},
		"faults": {
			nil,
			[]string{"1", "1,2,3", "1,x", "1,nan", "0x1,2", "1_0,2", "1,", "1e999,1", `"1,2`, "x,y", "1,2"},
			[]answer{
				fault("1 cell, but the model takes 2"), fault("3 cells"), fault(`"x" is not a number`),
				fault("not a finite number"), fault(`"0x1"`), fault(`write 10 without underscores`),
				fault(`"" is not a number`), fault("too large"), fault("quotes"), fault(`"x" is not a number`),
				point(1, 2),
			},
		},
		"header": {
			[]string{"y", "1"},
			[]string{"x,name,y", "1,a,2", "3,b"},
			[]answer{none, point(2, 1), fault(`there is no column "y"`)},
		},
		"no such column":  {[]string{"x", "z"}, []string{"x,y"}, []answer{fault(`there is no column "z"`)}},
		"names, no names": {[]string{"x", "y"}, []string{"1,2"}, []answer{fault("begin with a line of names")}},
		"numbers":         {[]string{"3", "1"}, []string{"1,a,2"}, []answer{point(2, 1)}},
		"arrays": {
			nil,
			[]string{"[1,2]", "[1,null]", "[1]", "[1,2] 3", `[1,"2"]`, "[1,", "[1e999,2]"},
			[]answer{
				point(1, 2), fault("number 2 is null"), fault("1 number, but"), fault("text follows"),
				fault("a string stands"), fault("cut short"), fault("stands in the place"),
			},
		},
		"objects": {
			[]string{"lon", "lat"},
			[]string{`{"lat":2,"lon":1,"t":"x"}`, `{"lat":2}`, `{"lat":"2","lon":1}`, `{"lat":null,"lon":1}`, `{`},
			[]answer{
				point(1, 2), fault(`there is no "lon"`), fault(`"2" of "lat"`), fault("is null"), fault("cut short"),
			},
		},
		"objects without names": {nil, []string{`{"x":1,"y":2}`}, []answer{fault("--columns")}},
	} {
		p := &PointLines{Dim: 2, Columns: c.columns}
		for i, line := range c.lines {
			x, err := p.Point(line)
			want := c.want[i]
			if !slices.Equal(x, want.x) || (err == nil) != (want.want == "") ||
				err != nil && (!usererr.Is(err) || !strings.Contains(err.Error(), want.want)) {
				t.Errorf("%s: %q became %v, %v, want %v, %s", name, line, x, err, want.x, want.want)
			}
		}
	}
}
