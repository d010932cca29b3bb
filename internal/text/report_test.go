package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	for _, c := range [][2]string{
		{Clean(" a\tb\n\x1b[31mc\x07 "), "a b [31mc"},
		{strings.Join(CleanAll([]string{" a ", "\n", "b"}), "|"), "a|b"},
		{Number(0), Dash},
		{Number(12345), "12,345"},
	} {
		if c[0] != c[1] {
			t.Errorf("got %q, want %q", c[0], c[1])
		}
	}
}

func TestWrap(t *testing.T) {
	if got := Wrap(
		"  ab cd  efghij k", 5, utf8.RuneCountInString,
	); !slices.Equal(got, []string{"ab cd", "efghij", "k"}) {
		t.Errorf("lines %q", got)
	}
	if got := Wrap(" ", 5, utf8.RuneCountInString); got != nil {
		t.Errorf("nothing gave %q", got)
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		s     string
		width float64
		want  string
	}{{"äöü", 3, "äöü"}, {"äöüß", 3.5, "äö…"}, {"abc", 0, "…"}, {"", 0, ""}} {
		runes := func(s string) float64 { return float64(utf8.RuneCountInString(s)) }
		if got := Fit(c.s, c.width, runes); got != c.want {
			t.Errorf("%q in %g: %q, want %q", c.s, c.width, got, c.want)
		}
	}
}
