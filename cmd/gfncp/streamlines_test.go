package main

import (
	"fmt"
	"strings"
	"testing"
)

// Lines with a header and without, between any marks, are points; others are told, and do no harm.
func TestPointLines(t *testing.T) {
	for _, c := range []struct {
		columns, lines, want string
	}{
		{"", "1,2\n\n3;4\n 5 6\n7\t8e1\n", "[1 2] [] [3 4] [5 6] [7 80]"},
		{"", "\ufeffx,y\n1,-2\n", "[] [1 -2]"},
		{"y,x", "x,n,y\n1,2,3\n", "[] [3 1]"},
		{"3,1", "1,2,3\n", "[3 1]"},
		{"", "1,2,3\n1,2\n", "3 cells, but the model takes 2 [1 2]"},
		{"", "1,x\n1,nan\n1,2\n", `"x" is not a number "nan" is not a number [1 2]`},
		{"z,x", "x,y\n", `there is no column "z" in 2 cells`},
		{"4,1", "1,2\n", `there is no column "4" in 2 cells`},
	} {
		p := pointLines{dim: 2}
		if c.columns != "" {
			p.columns = strings.Split(c.columns, ",")
		}
		var got []string
		for line := range strings.Lines(c.lines) {
			x, err := p.point(line)
			if err != nil {
				message, _, _ := strings.Cut(err.Error(), ";")
				got = append(got, message)
				continue
			}
			got = append(got, fmt.Sprint(x))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q of %q: %s, want %s", c.columns, c.lines, s, c.want)
		}
	}
}
