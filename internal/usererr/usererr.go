// Package usererr holds the one error type for faults that a user can mend: bad input, a wrong flag, an unknown key.
//
// Commands print such an error as one line that names the file, the line in it and the remedy, and exit with status 2.
// Every other error means that the program itself failed (status 1).
package usererr

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/gfncp/gfncp/internal/text"
)

// Error is a fault in a user's input. Every field but Msg may be empty.
type Error struct {
	Path   string // the file or directory at fault, as the user wrote it
	Line   int    // 1-based line in Path; 0 when no single line is at fault
	Option string // the field of Options at fault
	Msg    string // the fault, without a final full stop
	Hint   string // the remedy, an imperative phrase
	Err    error  // the cause, for errors.Is; it is not printed
}

// mostShown is the length in bytes up to which a part of an error is shown: a user's file can hold a key of any length.
const mostShown = 1000

func shown(text string) string {
	if len(text) > mostShown {
		return strings.ToValidUTF8(text[:mostShown], "") + "…"
	}
	return text
}

// Error returns "PATH:LINE: OPTION MSG; HINT", without empty fields. It is always a single line.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Option != "" {
		b.WriteString("Options." + e.Option + " ")
	}
	b.WriteString(shown(e.Msg))
	if e.Hint != "" {
		b.WriteString("; " + shown(e.Hint))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Because returns e with err as its cause.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
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

// Option returns an Error about the value of an option: "OPTION MSG; HINT".
func Option(name, hint, format string, args ...any) *Error {
	return &Error{Option: name, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// In returns the fault in err with the file at path, if it names neither a file nor an option, and other errors as they
// are.
func In(path string, err error) error {
	fault, is := errors.AsType[*Error](err)
	if !is || fault.Path != "" || fault.Option != "" {
		return err
	}
	placed := *fault
	placed.Path = path
	return &placed
}

// Words is the name of a field in lower case, with a separator between its words: "co-clustering" of CoClustering.
func Words(field, separator string) string {
	var b strings.Builder
	for i, r := range field {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteString(separator)
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// A text names an option by its Go name, Options.Time or FileOptions.Ignore. Where a sentence is complete without the
// option, the name stands in brackets, and a program without such an option can leave these out.
var (
	optionIn = regexp.MustCompile(`\b(?:File)?Options\.([A-Z]\w*)`)
	aside    = regexp.MustCompile(` \([^()"]*\bFileOptions\.(?:"(?:\\.|[^"\\])*"|[^()"])*\)`)
)

// Renamed returns a text with the options that it names renamed by name.
func Renamed(text string, name func(option string) string) string {
	return optionIn.ReplaceAllStringFunc(text, func(found string) string {
		_, option, _ := strings.Cut(found, ".")
		return name(option)
	})
}

// WithoutOptions returns a text without the brackets that name options.
func WithoutOptions(text string) string { return aside.ReplaceAllString(text, "") }

// Is reports whether err, or anything it wraps, is a fault of the user's input.
func Is(err error) bool {
	_, is := errors.AsType[*Error](err)
	return is
}

// Unknown returns an Error about a word that is not known; the message is as in New. The hint names the nearest known
// word, if one is near, and then all.
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

// Within adds a fault unless the value of the setting key is in 1 … most.
func (f *Faults) Within(key string, value, most int) {
	if value < 1 || value > most {
		*f = append(*f, New("set "+key+"=…", "%s = %d is outside 1..%d", key, value, most))
	}
}
