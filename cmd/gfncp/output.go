package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"text/template"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/cmd/internal/answer"
)

//go:embed reports.tmpl
var reportTexts string

var reports = template.Must(answer.Reports.Funcs(template.FuncMap{
	"bytes": func(n int64) string { return humanize.Bytes(uint64(n)) }, "dataSize": dataSize, "upper": strings.ToUpper,
}).Parse(reportTexts))

// show prints a result: as JSON with --json, else a view of it as the report of a name writes it.
func show(c *cli.Context, result any, report string, view any) error {
	if !c.Bool("json") {
		return writeReport(c.App.Writer, report, view)
	}
	encoder := json.NewEncoder(c.App.Writer)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(result)
}

// inColumns are the reports whose tabs part columns.
var inColumns = []string{"list", "data list", "sweep plan", "sweep status", "report"}

// writeReport writes a report, all at once.
func writeReport(w io.Writer, report string, view any) error {
	var b bytes.Buffer
	if err := reports.ExecuteTemplate(&b, report, view); err != nil {
		return err
	}
	if !slices.Contains(inColumns, report) {
		_, err := w.Write(b.Bytes())
		return err
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if _, err := columns.Write(b.Bytes()); err != nil {
		return err
	}
	return columns.Flush()
}

// say narrates on stderr unless --quiet.
func say(c *cli.Context, format string, args ...any) {
	if !c.Bool("quiet") {
		fmt.Fprintln(c.App.ErrWriter, escaped(answer.Flags(fmt.Sprintf(format, args...))))
	}
}

// escaped writes control characters as Go does, such as \x1b: a name from a file must not command the terminal.
func escaped(text string) string {
	if !strings.ContainsFunc(text, isControl) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// saying is say for packages that narrate.
func saying(c *cli.Context) func(format string, args ...any) {
	return func(format string, args ...any) { say(c, format, args...) }
}
