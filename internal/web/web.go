// Package web holds the shared files of pages with scripts: Chart.js, and a little style and code around it. Nothing in
// it is loaded from a network.
package web

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io/fs"
	"strings"
)

// Chart is Chart.js, which sets the global Chart; chartjs/README.md says where it is from.
//
//go:embed chartjs/chart.umd.min.js
var Chart string

// Common is the script that all pages run after Chart: the global gfncp, colours by theme, numbers as text.
//
//go:embed common.js
var Common string

// Style is the style that all pages begin with: colours in light and dark, type, buttons, tables.
//
//go:embed common.css
var Style string

// Own joins files that a page has for itself. They are embedded: a test sees one that is missing.
func Own(files fs.FS, names ...string) string {
	var texts []string
	for _, name := range names {
		text, err := fs.ReadFile(files, "page/"+name)
		if err != nil {
			panic(err)
		}
		texts = append(texts, string(text))
	}
	return strings.Join(texts, "\n")
}

// Element is the script as an element of a page.
func Element(source string) template.HTML {
	if strings.Contains(strings.ToLower(source), "</script") || strings.Contains(source, "<!--") {
		panic("a script of ours would end its element") // they are embedded: a test sees it
	}
	return template.HTML("<script>" + source + "</script>")
}

// Policy is the content security policy of a page that needs nothing but itself: these scripts may run, and nothing is
// loaded or sent.
func Policy(scripts []string) string {
	allowed := "script-src"
	for _, source := range scripts {
		sum := sha256.Sum256([]byte(source))
		allowed += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; " + allowed + "; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; " +
		"form-action 'none'"
}
