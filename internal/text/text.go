// Package text puts words together for messages and reports: counts with their nouns, short lists, the word that was
// meant.
package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/xrash/smetrics"
)

// Count returns "1 point", "2 points" and so on. plural is for a noun that takes no plain s: Count(n, "class",
// "classes").
func Count(n int, noun string, plural ...string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case len(plural) > 0:
		return fmt.Sprintf("%d %s", n, plural[0])
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// List joins texts with commas. Of more than most it gives the first ones and how many are left out.
func List(texts []string, most int) string {
	if more := len(texts) - most; more > 0 {
		return fmt.Sprintf("%s, … %d more", strings.Join(texts[:most], ", "), more)
	}
	return strings.Join(texts, ", ")
}

// Shorten returns s in at most n runes, n ≥ 1, the last of which is … if something is cut off.
func Shorten(s string, n int) string { return Fit(s, n, utf8.RuneCountInString) }

// Nearest returns the known word that someone who wrote word meant, or "" if none is near: a dotted key without its
// table, a word of which three letters or more are written, or the one that the fewest changes lead to: three at most,
// and one for each three letters. Case counts for nothing.
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
