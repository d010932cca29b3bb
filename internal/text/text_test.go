package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestList(t *testing.T) {
	words := []string{"x", "y", "z"}
	for most, want := range map[int]string{1: "x, … 2 more", 2: "x, y, … 1 more", 3: "x, y, z", 9: "x, y, z"} {
		if got := List(words, most); got != want {
			t.Errorf("the first %d: %q, want %q", most, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{
		"cluster", "reproduce", "report", "table3", "mog-dac", "mog-ncp",
		"train.steps", "loss.lambda", "test.n", "bash", "NMI",
	}
	for word, want := range map[string]string{
		"clutser": "cluster", "CLUSTER": "cluster", "repro": "reproduce",
		"rep": "report", "reprot": "report", "tabel3": "table3",
		"mog-npc": "mog-ncp", "steps": "train.steps", "train.step": "train.steps",
		"loss.lamda": "loss.lambda", "test.N": "test.n",
		"nonsense": "", "tcsh": "", "NIM": "", "x": "", "": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range [][2]string{
		{Clean(" a\tb\n\x1b[31mc\x07 "), "a b [31mc"},
		{strings.Join(CleanAll([]string{" a ", "\n", "b"}), "|"), "a||b"},
		{Number(0), Dash},
		{Number(12345), "12,345"},
		{Count(0, "point"), "0 points"},
		{Count(1, "point"), "1 point"},
		{Count(2, "point"), "2 points"},
		{Count(3, "class"), "3 classes"},
		{Count(1, "line ends", "lines end"), "1 line ends"},
		{Count(3, "line ends", "lines end"), "3 lines end"},
		{Shorten("née!", 1), "…"},
		{Shorten("née!", 3), "né…"},
		{Shorten("née!", 4), "née!"},
		{Shorten("née!", 5), "née!"},
	} {
		if c[0] != c[1] {
			t.Errorf("got %q, want %q", c[0], c[1])
		}
	}
}

func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{"  ab cd  efghij k": {"ab cd", "efghij", "k"}, " ": nil} {
		if got := Wrap(text, 5, utf8.RuneCountInString); !slices.Equal(got, want) {
			t.Errorf("%q gave the lines %q, want %q", text, got, want)
		}
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
