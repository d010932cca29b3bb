package page

import (
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// piece is a part of a text, plain or in the typeface of code.
type piece struct {
	Text string
	Code bool
}

// prose cuts a text at its backquotes. One without a partner stays a character.
func prose(s string) (pieces []piece) {
	for s = text.Clean(s); s != ""; {
		before, rest, opened := strings.Cut(s, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !opened || !closed {
			return append(pieces, piece{Text: s})
		}
		if before != "" {
			pieces = append(pieces, piece{Text: before})
		}
		pieces, s = append(pieces, piece{code, true}), after
	}
	return pieces
}
