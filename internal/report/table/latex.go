package table

import (
	"io"
	"regexp"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

const latexHead = `% Compiles by itself: pdflatex ID.tex. To use it in a paper, load booktabs, graphicx and amssymb there and copy
% the table environment, or load the package "docmute" and \input this file.
\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[landscape,margin=2cm]{geometry}
\usepackage{booktabs,graphicx,amssymb}
\begin{document}
`

// LaTeX writes a complete document that holds one table environment (booktabs). Text is escaped; unknown numbers are
// "--"; notes, remarks and how ours was computed stand below the table inside the same environment.
func (t *Table) LaTeX(w io.Writer) error {
	d := t.document(latex)
	var b strings.Builder
	b.WriteString(strings.Replace(latexHead, "ID.tex", text.Clean(t.ID)+".tex", 1))
	b.WriteString("\\begin{table}[htbp]\n\\centering\n\\small\n")
	if s := strings.TrimSpace(sentence(d.title) + " " + d.caption); s != "" {
		b.WriteString("\\caption{" + latexText(s) + "}\n")
	}
	if t.ID != "" {
		b.WriteString("\\label{tab:" + unlabel.ReplaceAllString(t.ID, "-") + "}\n")
	}
	d.pivot.latex(&b)
	var lines []string
	for i, n := range d.notes {
		lines = append(lines, "\\textsuperscript{"+MarkLetter(i)+"}~"+latexText(n))
	}
	latexLines(&b, append(lines, latexAll(d.signs)...))
	if len(d.ways.rows) > 0 {
		b.WriteString("\n\\smallskip\n{\\footnotesize\n")
		d.ways.latex(&b)
		b.WriteString("}\n")
	}
	latexLines(&b, latexAll(d.remarks))
	b.WriteString("\\end{table}\n\\end{document}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

var latex = markup{
	text: latexText, number: latexNumber, best: `\textbf{\boldmath %s}`, apart: `\textsuperscript{*}`,
	mark: `\textsuperscript{%s}`,
}

// latex writes the table as the paper sets it, no wider than the line.
func (g grid) latex(b *strings.Builder) {
	var columns string
	var heads []string
	for _, h := range g.heads {
		columns += map[bool]string{false: "l", true: "r"}[h.Number]
		heads = append(heads, h.Name)
	}
	b.WriteString("\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n")
	b.WriteString("\\begin{tabular}{" + columns + "}\n\\toprule\n" + strings.Join(heads, " & ") + " \\\\\n\\midrule\n")
	for i, row := range g.rows {
		if i > 0 && g.ruled[i] {
			b.WriteString("\\midrule\n")
		}
		b.WriteString(strings.Join(row.texts(), " & ") + " \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}\n")
}

// latexLines sets lines that are LaTeX already in a small box.
func latexLines(b *strings.Builder, lines []string) {
	if len(lines) > 0 {
		b.WriteString("\n\\smallskip\n\\parbox{0.9\\linewidth}{\\footnotesize\\raggedright\n" +
			strings.Join(lines, "\\par\n") + "}\n")
	}
}

func latexAll(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = latexText(s)
	}
	return out
}

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
	text.Dash, "--", "—", "---", "…", `\ldots{}`, "±", `$\pm$`, "−", "$-$", "×", `$\times$`, "·", `$\cdot$`, "≤", `$\le$`,
	"≥", `$\ge$`, "≈", `$\approx$`, "→", `$\to$`, "↑", `$\uparrow$`, "↓", `$\downarrow$`, "✓", `$\checkmark$`, "✗", `$\times$`,
	"∞", `$\infty$`, "α", `$\alpha$`, "β", `$\beta$`, "γ", `$\gamma$`,
	"δ", `$\delta$`, "ε", `$\varepsilon$`, "η", `$\eta$`, "λ", `$\lambda$`, "μ", `$\mu$`, "σ", `$\sigma$`, "τ", `$\tau$`,
)

func latexText(s string) string { return latexEscapes.Replace(s) }

// unlabel is what a label cannot hold.
var unlabel = regexp.MustCompile(`[^A-Za-z0-9:.-]+`)

// sentence ends s with a full stop, so that a title and a caption can follow one another.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?:") {
		return s
	}
	return s + "."
}
