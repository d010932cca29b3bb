package table

import (
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// LaTeX writes a complete document that holds one table environment (booktabs), no wider than the line. Text is
// escaped; unknown numbers are "--"; notes and remarks stand below the table inside the same environment.
func (t *Table) LaTeX(w io.Writer) error {
	l := t.layout(markup{
		words: latexText, number: latexNumber, best: `\textbf{\boldmath %s}`, other: `\textsuperscript{*}`,
		mark: `\textsuperscript{%s}`, note: `\textsuperscript{%s}~`, columns: mostColumns,
	})
	var b strings.Builder
	fmt.Fprintf(&b, latexHead, text.Clean(t.ID))
	fmt.Fprintf(&b, "\\caption{%s}\n", strings.TrimSpace(sentence(l.title)+" "+l.caption))
	fmt.Fprintf(&b, "\\label{tab:%s}\n", unlabel.ReplaceAllString(t.ID, "-"))
	b.WriteString("\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n")
	fmt.Fprintf(&b, "\\begin{tabular}{ll%s}\n\\toprule\n", strings.Repeat("r", len(l.heads)-2))
	line := func(fields []string) { b.WriteString(strings.Join(fields, " & ") + " \\\\\n") }
	line(l.heads)
	for i, row := range l.rows {
		if l.begins(i) {
			b.WriteString("\\midrule\n")
		} else {
			row = append([]string{""}, row[1:]...)
		}
		line(row)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}\n")
	if len(l.below) > 0 {
		fmt.Fprintf(&b, "\n\\smallskip\n\\parbox{0.9\\linewidth}{\\footnotesize\\raggedright\n%s}\n",
			strings.Join(l.below, "\\par\n"))
	}
	b.WriteString("\\end{table}\n\\end{document}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// latexHead begins the document; %s is the table's ID.
const latexHead = `%% Compiles by itself: pdflatex %s.tex. To use it in a paper, load booktabs, graphicx and amssymb there
%% and copy the table environment, or load the package "docmute" and \input this file.
\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[landscape,margin=2cm]{geometry}
\usepackage{booktabs,graphicx,amssymb}
\begin{document}
\begin{table}[htbp]
\centering
\small
`

var exponent = regexp.MustCompile(`^(-?[0-9.]+)e([+-])0*([0-9]+)$`)

// latexNumber turns a formatted number or "mean ± std" into mathematics, so that signs are real minus signs.
func latexNumber(s string) string {
	if s == text.Dash || s == "✓" || s == "✗" {
		return latexText(s)
	}
	parts := strings.Split(s, " ± ")
	for i, p := range parts {
		if m := exponent.FindStringSubmatch(p); m != nil {
			p = m[1] + `\times10^{` + strings.TrimPrefix(m[2], "+") + m[3] + "}"
		}
		p = strings.ReplaceAll(p, ",", "{,}") // no space after a separator
		parts[i] = strings.ReplaceAll(p, "inf", `\infty`)
	}
	return "$" + strings.Join(parts, ` \pm `) + "$"
}

// latexEscapes covers TeX's special characters and the symbols that this program itself uses in text.
var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`,
	`"`, `\textquotedbl{}`, "--", `-{}-`,
	text.Dash, "--", "—", "---", "…", `\ldots{}`, "±", `$\pm$`, "−", "$-$",
	"×", `$\times$`, "·", `$\cdot$`, "≤", `$\le$`,
	"≥", `$\ge$`, "≈", `$\approx$`, "→", `$\to$`, "↑", `$\uparrow$`, "↓",
	`$\downarrow$`, "✓", `$\checkmark$`, "✗", `$\times$`,
	"∞", `$\infty$`, "α", `$\alpha$`, "β", `$\beta$`, "γ", `$\gamma$`,
	"δ", `$\delta$`, "ε", `$\varepsilon$`, "η", `$\eta$`, "λ", `$\lambda$`,
	"μ", `$\mu$`, "σ", `$\sigma$`, "τ", `$\tau$`,
)

func latexText(s string) string { return latexEscapes.Replace(s) }

// unlabel matches characters that a label cannot hold.
var unlabel = regexp.MustCompile(`[^A-Za-z0-9:.-]+`)

// sentence ends s with a full stop, so that a title and a caption can follow one another.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?:") {
		return s
	}
	return s + "."
}
