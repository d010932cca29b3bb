// Package usererr holds the one error type for faults that a user can mend: bad input, a wrong flag, an unknown key.
//
// Commands print such an error as one line that names the file, the line in it and the remedy, and exit with status 2.
// Every other error means that the program itself failed (status 1).
package usererr

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// Error is a fault in what the user gave. Every field but Msg may be empty.
type Error struct {
	Path string // the file or directory at fault, as the user wrote it
	Line int    // 1-based line in Path; 0 when no single line is at fault
	Msg  string // what is wrong, without a final full stop
	Hint string // what to do about it, an imperative phrase
	Err  error  // the cause, for errors.Is; it is not printed
}

// mostShown is the length in bytes up to which a part of an error is shown: a user's file can hold a key of any length.
const mostShown = 1000

// shown is a text cut to what is shown.
func shown(text string) string {
	if len(text) > mostShown {
		return strings.ToValidUTF8(text[:mostShown], "") + "…"
	}
	return text
}

// Error returns "PATH:LINE: MSG; HINT", leaving out what is empty. It is always a single line.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	b.WriteString(shown(e.Msg))
	if e.Hint != "" {
		b.WriteString("; " + shown(e.Hint))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Unwrap returns the cause, so that errors.Is(err, fs.ErrNotExist) works.
func (e *Error) Unwrap() error { return e.Err }

// New returns an Error about the user's words: no file is involved.
func New(hint, format string, args ...any) *Error {
	return &Error{Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// File returns an Error about the file at path; line is 0 when the whole file is at fault.
func File(path string, line int, hint, format string, args ...any) *Error {
	return &Error{Path: path, Line: line, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// Is reports whether err, or anything it wraps, is a fault of the user's input.
func Is(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// Unknown returns an Error about a word that is none of the known ones; the message is as in New. The hint names the
// one that was meant, if one is near, and then all.
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

// Faults gathers the faults of a configuration, so that all are reported at once (errors.Join).
type Faults []error

// Demand adds a fault unless ok: the setting key has this value and must be as bound says, e.g. "at least 1".
func (f *Faults) Demand(ok bool, key string, value any, bound string) {
	if !ok {
		*f = append(*f, New(fmt.Sprintf("set %s to %s", key, bound), "%s is %v", key, value))
	}
}
