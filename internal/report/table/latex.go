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
	p, ways := t.Pivot(), t.Ways()
	var b strings.Builder
	b.WriteString(strings.Replace(latexHead, "ID.tex", text.Clean(t.ID)+".tex", 1))
	b.WriteString("\\begin{table}[htbp]\n\\centering\n\\small\n")
	if s := strings.TrimSpace(sentence(text.Clean(t.Title)) + " " + text.Clean(t.Caption)); s != "" {
		b.WriteString("\\caption{" + latexText(s) + "}\n")
	}
	if t.ID != "" {
		b.WriteString("\\label{tab:" + labelText(t.ID) + "}\n")
	}
	p.latex(&b)
	var lines []string
	for i, n := range p.Notes {
		lines = append(lines, "\\textsuperscript{"+MarkLetter(i)+"}~"+latexText(n))
	}
	latexLines(&b, append(lines, latexAll(p.signs(ways))...))
	if len(ways.Rows) > 0 {
		b.WriteString("\n\\smallskip\n{\\footnotesize\n")
		ways.latex(&b)
		b.WriteString("}\n")
	}
	latexLines(&b, latexAll(t.remarks()))
	b.WriteString("\\end{table}\n\\end{document}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// latex writes the table as the paper sets it, no wider than the line.
func (p *Pivot) latex(b *strings.Builder) {
	heads := []string{"Data", latexText(p.Corner)}
	for _, h := range p.Heads {
		heads = append(heads, latexText(strings.TrimSpace(h.Name+" "+h.Arrow)))
	}
	latexBegin(b, "ll"+strings.Repeat("r", len(p.Heads)), heads)
	for i, block := range p.Blocks {
		if i > 0 && !p.Flat {
			b.WriteString("\\midrule\n")
		}
		for j, r := range block.Rows {
			fields := []string{latexText(block.Name), latexText(strings.TrimSpace(r.Name + " " + r.Arrow))}
			if j > 0 {
				fields[0] = ""
			}
			for _, e := range r.Entries {
				fields = append(fields, e.latex())
			}
			b.WriteString(strings.Join(fields, " & ") + " \\\\\n")
		}
	}
	latexEnd(b)
}

func (w WayTable) latex(b *strings.Builder) {
	columns := ""
	var heads []string
	for _, h := range w.Heads {
		heads = append(heads, latexText(h.Name))
		columns += map[bool]string{false: "l", true: "r"}[h.Number]
	}
	latexBegin(b, columns, heads)
	for _, row := range w.Rows {
		b.WriteString(strings.Join(latexAll(row), " & ") + " \\\\\n")
	}
	latexEnd(b)
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

func latexBegin(b *strings.Builder, columns string, heads []string) {
	b.WriteString("\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n")
	b.WriteString("\\begin{tabular}{" + columns + "}\n\\toprule\n" + strings.Join(heads, " & ") + " \\\\\n\\midrule\n")
}

func latexEnd(b *strings.Builder) { b.WriteString("\\bottomrule\n\\end{tabular}}\n") }

// latex is ours, bold if it is the best, and the paper's number.
func (e Entry) latex() string {
	if e.Cell == nil {
		return ""
	}
	s := latexText(e.Ours)
	if !e.Missing {
		s = latexNumber(e.Ours)
	}
	if e.Best {
		s = "\\textbf{\\boldmath " + s + "}"
	}
	if e.Apart {
		s += "\\textsuperscript{*}"
	}
	if e.Mark != "" {
		s += "\\textsuperscript{" + e.Mark + "}"
	}
	if e.Paper != "" {
		s += " (" + latexNumber(e.PaperMean()) + ")"
	}
	return s
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

// labelText keeps an ID inside a label.
var unlabel = regexp.MustCompile(`[^A-Za-z0-9:.-]+`)

func labelText(id string) string { return unlabel.ReplaceAllString(id, "-") }

// sentence ends s with a full stop, so that a title and a caption can follow one another.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?:") {
		return s
	}
	return s + "."
}
