package table

import (
	"io"
	"regexp"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

const latexHead = `% Compiles by itself: pdflatex ID.tex. To use it in a paper, load booktabs there and copy the table environment,
% or load the package "docmute" and \input this file.
\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[landscape,margin=2cm]{geometry}
\usepackage{booktabs}
\begin{document}
`

// LaTeX writes a complete document that holds one table environment (booktabs). Text is escaped; unknown numbers are
// "--"; notes and remarks stand below the table inside the same environment.
func (t *Table) LaTeX(w io.Writer) error {
	l := t.layout()
	var b strings.Builder
	b.WriteString(strings.Replace(latexHead, "ID.tex", commentText(t.ID)+".tex", 1))
	b.WriteString("\\begin{table}[htbp]\n\\centering\n\\small\n")
	if s := strings.TrimSpace(sentence(text.Clean(t.Title)) + " " + text.Clean(t.Caption)); s != "" {
		b.WriteString("\\caption{" + latexText(s) + "}\n")
	}
	if t.ID != "" {
		b.WriteString("\\label{tab:" + labelText(t.ID) + "}\n")
	}
	b.WriteString("\\begin{tabular}{lllrrrlrrr}\n\\toprule\n" + strings.Join(columns, " & ") + " \\\\\n\\midrule\n")
	for i, r := range l.rows {
		if i > 0 && r.newData {
			b.WriteString("\\midrule\n")
		}
		b.WriteString(latexRow(&r) + " \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	latexRemarks(&b, l)
	b.WriteString("\\end{table}\n\\end{document}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func latexRow(r *row) string {
	fields := make([]string, len(r.fields))
	for j, s := range r.fields {
		switch {
		case j == colData && !r.newData, j == colMetric && !r.newMetric:
			continue
		case j == colOurs && !r.missing, j == colPaper, j > colOurs && j != colScale:
			fields[j] = latexNumber(s)
		default:
			fields[j] = latexText(s)
		}
		if j == colOurs && r.mark != "" {
			fields[j] += "\\textsuperscript{" + r.mark + "}"
		}
	}
	return strings.Join(fields, " & ")
}

// latexRemarks prints notes and remarks in one small paragraph box below the table.
func latexRemarks(b *strings.Builder, l Layout) {
	if len(l.Notes)+len(l.remarks) == 0 {
		return
	}
	b.WriteString("\n\\smallskip\n\\parbox{0.9\\linewidth}{\\footnotesize\\raggedright\n")
	var lines []string
	for i, n := range l.Notes {
		lines = append(lines, "\\textsuperscript{"+MarkLetter(i)+"}~"+latexText(n))
	}
	for _, s := range l.remarks {
		lines = append(lines, latexText(s))
	}
	b.WriteString(strings.Join(lines, "\\par\n") + "}\n")
}

var exponent = regexp.MustCompile(`^(-?[0-9.]+)e([+-])0*([0-9]+)$`)

// latexNumber turns a formatted number or "mean ± std" into mathematics, so that signs are real minus signs.
func latexNumber(s string) string {
	if s == text.Dash {
		return "--"
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
	"≥", `$\ge$`, "≈", `$\approx$`, "→", `$\to$`, "∞", `$\infty$`, "α", `$\alpha$`, "β", `$\beta$`, "γ", `$\gamma$`,
	"δ", `$\delta$`, "ε", `$\varepsilon$`, "η", `$\eta$`, "λ", `$\lambda$`, "μ", `$\mu$`, "σ", `$\sigma$`, "τ", `$\tau$`,
)

func latexText(s string) string { return latexEscapes.Replace(s) }

// commentText keeps an ID on the comment's line; labelText keeps it inside a label.
func commentText(id string) string { return text.Clean(id) }

var unlabel = regexp.MustCompile(`[^A-Za-z0-9:.-]+`)

func labelText(id string) string { return unlabel.ReplaceAllString(id, "-") }

// sentence ends s with a full stop, so that a title and a caption can follow one another.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?:") {
		return s
	}
	return s + "."
}
