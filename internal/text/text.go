// Package text writes words for messages and reports: counts with their nouns, short lists, the nearest known word.
package text

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/xrash/smetrics"
)

// Count returns "1 point", "2 points" and so on. plural is for words that do not end in a noun with a regular plural.
func Count(n int, noun string, plural ...string) string {
	return fmt.Sprintf("%d %s", n, english.PluralWord(n, noun, strings.Join(plural, "")))
}

// List joins texts with commas. Of more than most it gives the first ones and how many are left out.
func List(texts []string, most int) string {
	if more := len(texts) - most; more > 0 {
		return fmt.Sprintf("%s, … %d more", strings.Join(texts[:most], ", "), more)
	}
	return strings.Join(texts, ", ")
}

// Quote returns a text in quotes, shortened for a message.
func Quote(s string) string { return strconv.Quote(Shorten(s, 41)) }

// Shorten returns s in at most n runes, n ≥ 1, with … as the last one if something is cut off.
func Shorten(s string, n int) string { return Fit(s, n, utf8.RuneCountInString) }

// Nearest returns the known word that is nearest to word, or "" if no word is near. A key that ends in "."+word is
// returned at once. Otherwise the fewest changes win, at most three and one for each three letters; a known word that
// begins with word, of three letters or more, is one change away. Case is ignored.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best, least, alike := "", min(3, (len(word)+1)/3), 0.0
	for _, k := range known {
		lower := strings.ToLower(k)
		if strings.HasSuffix(lower, "."+word) {
			return k
		}
		changes := smetrics.WagnerFischer(word, lower, 1, 1, 1)
		if len(word) >= 3 && strings.HasPrefix(lower, word) {
			changes = min(changes, 1)
		}
		same := smetrics.JaroWinkler(word, lower, 0.7, 4) // swapped letters are two changes, but nearer than two others
		if changes < least || changes == least && same > alike {
			best, least, alike = k, changes, same
		}
	}
	return best
}

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

// CleanAll cleans each text.
func CleanAll(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = Clean(s)
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

// Number writes a count with commas between thousands; 0 means not known.
func Number(n int) string {
	if n == 0 {
		return Dash
	}
	return humanize.Comma(int64(n))
}

// Wrap breaks s at blanks into lines that measure at most width each; a longer word keeps its own line. An empty s
// gives no lines. Runes are measured by utf8.RuneCountInString, points by the width of a text style.
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

// Fit cuts s to a width, measured as by Wrap, with "…" in place of the rest.
func Fit[W cmp.Ordered](s string, width W, measure func(string) W) string {
	if measure(s) <= width {
		return s
	}
	r := []rune(s)
	n := sort.Search(len(r), func(n int) bool { return measure(string(r[:n+1])+"…") > width }) // the longest that fits
	return string(r[:n]) + "…"
}
