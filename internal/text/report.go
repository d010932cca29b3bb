package text

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Dash stands for an unknown number.
const Dash = "–"

// Clean makes one line of s: runs of white space become a blank, control characters vanish (a name from a file must
// not move the cursor or break a table).
func Clean(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
}

// CleanAll cleans each text and leaves out those of which nothing remains.
func CleanAll(all []string) []string {
	out := make([]string, 0, len(all))
	for _, s := range all {
		if s = Clean(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// AppendNew appends s unless it is there.
func AppendNew(all []string, s string) []string {
	if slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

// Group puts a comma between groups of three digits of an integer.
func Group(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Number writes a count with commas between thousands; 0 means not known.
func Number(n int) string {
	if n == 0 {
		return Dash
	}
	return Group(strconv.Itoa(n))
}

// Plural is Count for prose: "no clusters", "1 cluster", "1,200 clusters".
func Plural(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun + "s"
	case 1:
		return "1 " + noun
	}
	return Number(n) + " " + noun + "s"
}

// Wrap breaks s at blanks into lines that measure at most width each; a longer word keeps its own line. Of nothing
// there are no lines. Runes are measured by utf8.RuneCountInString, points by the width of a text style.
func Wrap[W cmp.Ordered](s string, width W, measure func(string) W) []string {
	var lines []string
	for _, word := range strings.Fields(s) {
		last := len(lines) - 1
		if last >= 0 && measure(lines[last]+" "+word) <= width {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

// Fit cuts s to a width, measured as by Wrap, with "…" in place of what is missing.
func Fit[W cmp.Ordered](s string, width W, measure func(string) W) string {
	if measure(s) <= width {
		return s
	}
	r := []rune(s)
	n := sort.Search(len(r), func(n int) bool { return measure(string(r[:n+1])+"…") > width }) // the longest that fits
	return string(r[:n]) + "…"
}
