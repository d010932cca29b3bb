package usererr

import (
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// Unknown returns an Error about a word that is none of the known ones; the message is as in New. The hint names the one
// that was meant, if one is near, and then all.
func Unknown(word string, known []string, format string, args ...any) *Error {
	all := slices.Compact(slices.Clone(known))
	return New(DidYouMean(word, known, "choose one of "+strings.Join(all, ", ")), format, args...)
}

// DidYouMean puts the known word that is near to another in front of a hint.
func DidYouMean(word string, known []string, hint string) string {
	if near := text.Nearest(word, known); near != "" {
		return "did you mean " + near + "? " + hint
	}
	return hint
}
