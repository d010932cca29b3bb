package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

func man(c *cli.Context) error { return writeMan(c.App.Writer, c.App) }

// writeMan writes the manual page of a program from its help texts, in the man macros of roff (man-pages(7)).
func writeMan(w io.Writer, app *cli.App) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"%s\" \"User Commands\"\n", strings.ToUpper(app.Name), roff(app.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", app.Name, roff(app.Usage))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(app.UsageText))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", roffParagraphs(app.Description))
	b.WriteString(".SH COMMANDS\n")
	everyCommand(app.Name, app.Commands, func(path string, c *cli.Command) {
		if c.Hidden {
			return
		}
		fmt.Fprintf(&b, ".SS \"%s\"\n%s.\n%s", roff(strings.TrimSpace(path+" "+c.ArgsUsage)),
			roff(c.Usage), roffParagraphs(c.Description))
		for _, f := range c.VisibleFlags() {
			name, usage, _ := strings.Cut(f.String(), "\t")
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(name), roff(usage))
		}
	})
	_, err := w.Write(b.Bytes())
	return err
}

// roffParagraphs writes a help text: blank lines part paragraphs, and indented lines stay as they are.
func roffParagraphs(text string) string {
	var b strings.Builder
	b.WriteString(".PP\n")
	literal := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, "  "); indented != literal {
			literal = indented
			b.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[literal])
		}
		if line == "" {
			b.WriteString(".PP\n")
		} else {
			b.WriteString(roff(line) + "\n")
		}
	}
	if literal {
		b.WriteString(".fi\n")
	}
	return b.String()
}

// roff writes text so that nothing in it is taken for a request of roff, and a hyphen can be copied as one.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}
