package usererr

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A program with other names for options puts them into a text; one without such options leaves the brackets out.
func TestOptionsInTexts(t *testing.T) {
	text := `leave it out (FileOptions.Ignore "a) \"(b" or FileOptions.IgnoreText), or (so) say FileOptions.Header no`
	name := func(option string) string { return "-" + Words(option, "-") }
	got := Renamed(text, name) + WithoutOptions(text)
	if got != `leave it out (-ignore "a) \"(b" or -ignore-text), or (so) say -header no`+
		`leave it out, or (so) say FileOptions.Header no` {
		t.Error(got)
	}
}

// What is shown of a user's words has an end.
func TestErrorIsShort(t *testing.T) {
	t.Parallel()
	for _, long := range []string{strings.Repeat("a.", 100_000), strings.Repeat("é", 100_000)} {
		got := File("config.toml", 3, "mend "+long, "unknown key %q", long).Error()
		if len(got) > 2*mostShown+100 || !utf8.ValidString(got) ||
			!strings.HasPrefix(got, `config.toml:3: unknown key "`) || strings.Count(got, "…") != 2 {
			t.Errorf("%d bytes: %.60s", len(got), got)
		}
	}
	if got, want := New("stay", "short").Error(), "short; stay"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
