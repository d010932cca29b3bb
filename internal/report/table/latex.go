package table

import (
	_ "embed"
	"io"
	"regexp"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

//go:embed table.tex.tmpl
var latexSource string

var latexTemplate = parse(latexSource)

// LaTeX writes a complete document that holds one table environment (booktabs), no wider than the line. Text is
// escaped; unknown numbers are "--"; notes, remarks and how ours was computed stand below the table inside the same
// environment.
func (t *Table) LaTeX(w io.Writer) error { return latexTemplate.Execute(w, t.document(latex)) }

var latex = markup{
	text: latexText, number: latexNumber, best: `\textbf{\boldmath %s}`, apart: `\textsuperscript{*}`,
	mark: `\textsuperscript{%s}`,
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
	text.Dash, "--", "—", "---", "…", `\ldots{}`, "±", `$\pm$`, "−", "$-$",
	"×", `$\times$`, "·", `$\cdot$`, "≤", `$\le$`,
	"≥", `$\ge$`, "≈", `$\approx$`, "→", `$\to$`, "↑", `$\uparrow$`, "↓",
	`$\downarrow$`, "✓", `$\checkmark$`, "✗", `$\times$`,
	"∞", `$\infty$`, "α", `$\alpha$`, "β", `$\beta$`, "γ", `$\gamma$`,
	"δ", `$\delta$`, "ε", `$\varepsilon$`, "η", `$\eta$`, "λ", `$\lambda$`,
	"μ", `$\mu$`, "σ", `$\sigma$`, "τ", `$\tau$`,
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
