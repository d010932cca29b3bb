package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// Outputs, listings and tables inside README.md and docs/*.md are written by this test, never by hand:
//
//	go test ./cmd/gfncp -run TestDocs -update          what is made in a moment
//	go test ./cmd/gfncp -run TestDocs -update-all      all of it, in minutes, on an idle machine
//
// A line `<!-- KIND: WHAT -->` says what the fenced block, table or paragraph after it shows, up to its end. The
// kinds are in docParts.
var (
	update = flag.Bool("update", false,
		"rewrite README.md and docs/*.md from the program and the result files; read the diff")
	updateAll = flag.Bool("update-all", false, "the same, with outputs that take minutes or depend on the machine")
)

// docPart is one kind of marked content.
type docPart struct {
	fenced bool // the content stands between ```; otherwise it ends with the first empty line
	long   bool // takes seconds: not compared under -short
	once   bool // too slow, or too dependent on the machine, to be compared in every test: only -update-all makes it
	make   func(what string) (string, error)
}

var docParts = map[string]docPart{
	"run":      {fenced: true, make: shellOutput},             // the output of a bash command in the project's folder
	"run long": {fenced: true, long: true, make: shellOutput}, // the same
	"run once": {fenced: true, once: true, make: shellOutput}, // the same
	"file":     {fenced: true, make: listing},                 // a file
	"picture":  {once: true},                                  // a picture that a bash command draws
	"bench":    {make: benchPart},                             // a group of the stored benchmarks
	"table":    {make: tablePart},                             // a table of results: ID METRIC, METRIC…; without MODEL
	"cards":    {make: cardsPart},                             // model cards: NAME NAME… ; TITLE = KEY / KEY ; …
}

// content is what the document should hold in place of old.
func (p docPart) content(what, old string) (string, error) {
	if p.make == nil { // a picture: the command draws it, and the text around it stays
		_, err := shellOutput(what)
		return old, err
	}
	return p.make(what)
}

// marked finds a mark and what follows it: a fenced block, or lines up to an empty one.
var marked = regexp.MustCompile(
	"(?m)^<!-- (run long|run once|run|picture|file|bench|table|cards): (.*?) -->\n(\n*```\\w*\n)?")

// renewal says what is made anew.
type renewal int

const (
	stale    renewal = iota // what says something else (alike); not what is made once
	last                    // that to its last digits
	withOnce                // all of it
)

// renewed returns a document with marked contents made anew.
func renewed(text string, how renewal) (string, error) {
	var out strings.Builder
	for {
		at := marked.FindStringSubmatchIndex(text)
		if at == nil {
			out.WriteString(text)
			return out.String(), nil
		}
		kind, what := text[at[2]:at[3]], text[at[4]:at[5]]
		part := docParts[kind]
		if part.fenced != (at[6] >= 0) {
			return "", fmt.Errorf("<!-- %s: %s -->: a fenced block must follow the kinds run and file, and no other",
				kind, what)
		}
		out.WriteString(text[:at[1]])
		text = text[at[1]:]
		end := contentEnd(text, part.fenced)
		content := text[:end]
		if passed := part.long && how == stale && testing.Short(); how == withOnce || !part.once && !passed {
			fresh, err := part.content(what, content)
			if err != nil {
				return "", fmt.Errorf("<!-- %s: %s -->: %w", kind, what, err)
			}
			if how > stale || !alike(content, fresh) {
				content = fresh
			}
		}
		out.WriteString(content)
		text = text[end:]
	}
}

// contentEnd is where marked content ends: before the closing fence, or before the first empty line.
func contentEnd(text string, fenced bool) int {
	end := "\n\n"
	if fenced {
		end = "\n```\n"
		if strings.HasPrefix(text, end[1:]) {
			return 0
		}
	}
	if at := strings.Index(text, end); at >= 0 {
		return at + 1
	}
	return len(text)
}

// shellOutput is what a bash command prints, with gfncp as this test binary.
func shellOutput(command string) (string, error) {
	program := must.M1(os.Executable())
	bash := exec.Command("bash", "-c", "set -eo pipefail; gfncp() { '"+program+"' \"$@\"; }; "+command)
	bash.Dir = docsRoot
	bash.Env = append(os.Environ(), asProgram+"=1", "GODEBUG=asyncpreemptoff=1")
	var faults strings.Builder
	bash.Stderr = &faults
	out, err := bash.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, faults.String())
	}
	return strings.TrimRight(string(out), "\n") + "\n", nil
}

func listing(path string) (string, error) {
	text, err := os.ReadFile(filepath.Join(docsRoot, path))
	return string(text), err
}

const docsRoot = "../.."

var (
	numberWord = regexp.MustCompile(`-?\d+(,\d{3})*(\.\d+)?(e[+-]?\d+)?`)
	numberList = regexp.MustCompile(`#(, #)+`)
)

// alike reports whether two outputs say the same but for what another processor changes: its last digits decide which
// of many samples is drawn. Words must agree line by line, repeated lines of a list counted once; numbers of lines
// that both have, roughly.
func alike(old, fresh string) bool {
	olds, news := skeleton(old), skeleton(fresh)
	if len(olds) != len(news) {
		return false
	}
	for i := range olds {
		if olds[i].words != news[i].words || !slices.EqualFunc(olds[i].numbers, news[i].numbers, near) {
			return false
		}
	}
	return true
}

// outputLine is a line of output, or the first of several that differ in their numbers alone.
type outputLine struct {
	words   string
	numbers []float64 // none for a line of a list
}

func skeleton(text string) (lines []outputLine) {
	for line := range strings.Lines(text) {
		words := numberWord.ReplaceAllString(strings.Join(strings.Fields(line), " "), "#")
		list := numberList.MatchString(words)
		words = numberList.ReplaceAllString(words, "#")
		if n := len(lines); n > 0 && lines[n-1].words == words {
			lines[n-1].numbers = nil
			continue
		}
		var numbers []float64
		for _, word := range numberWord.FindAllString(line, -1) {
			if !list {
				numbers = append(numbers, must.M1(strconv.ParseFloat(strings.ReplaceAll(word, ",", ""), 64)))
			}
		}
		lines = append(lines, outputLine{words, numbers})
	}
	return lines
}

// near allows a tenth, and one tenth.
func near(a, b float64) bool { return math.Abs(a-b) <= 0.1+0.1*math.Abs(a) }

func documents() []string {
	return append([]string{docsRoot + "/README.md"}, must.M1(filepath.Glob(docsRoot+"/docs/*.md"))...)
}

// Every output, listing and table in the documents is what the program prints and the result files hold.
func TestDocs(t *testing.T) {
	t.Parallel()
	for _, path := range documents() {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text := string(must.M1(os.ReadFile(path)))
			how := stale
			if *update {
				how = last
			}
			if *updateAll {
				how = withOnce
			}
			fresh, err := renewed(text, how)
			if err != nil {
				t.Fatal(err)
			}
			if how > stale {
				must.M(os.WriteFile(path, []byte(fresh), 0o644))
			} else if fresh != text {
				t.Errorf("%s is stale; run `go test ./cmd/gfncp -run TestDocs -update` and read the diff\n%s",
					path, firstDifference(text, fresh))
			}
		})
	}
}

// firstDifference shows where two texts part.
func firstDifference(old, fresh string) string {
	a, b := strings.Split(old, "\n"), strings.Split(fresh, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\n  has   %s\n  wants %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, wants %d", len(a), len(b))
}

// A stale output, listing or table is noticed, digits that only a processor changes are not.
func TestRenewed(t *testing.T) {
	text := "x\n<!-- run: echo K = 7; echo p 0.512; echo; echo 1, 2 -->\n```text\nK = 7\np 0.51\n\n1, 2, 3\n```\ny\n"
	if same, err := renewed(text, stale); err != nil || same != text {
		t.Errorf("last digits and the length of a list were renewed: %q, %v", same, err)
	}
	for _, old := range []string{"K = 8", "k = 7", "K = 7\nmore"} {
		fresh, err := renewed(strings.Replace(text, "K = 7\np", old+"\np", 1), stale)
		if err != nil || !strings.Contains(fresh, "\nK = 7\np 0.512\n\n1, 2\n```\ny\n") {
			t.Errorf("%q was kept: %q, %v", old, fresh, err)
		}
	}
	if _, err := renewed("<!-- run: false -->\n```\n```\n", stale); err == nil {
		t.Error("a command that fails passes")
	}
	if _, err := renewed("<!-- run: true -->\nno fence\n", stale); err == nil {
		t.Error("an output without a fence passes")
	}
}

var (
	fence = regexp.MustCompile("(?ms)^```.*?^```$")
	link  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	head  = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// anchors are the places in a document that a link can name.
func anchors(text string) map[string]bool {
	found := map[string]bool{"": true}
	drop := regexp.MustCompile("[^a-z0-9 _-]")
	for _, m := range head.FindAllStringSubmatch(text, -1) {
		found[strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return found
}

// Every relative link in the documents leads to a file of the project, and to a heading if it names one.
func TestDocsLinks(t *testing.T) {
	for _, path := range append(documents(), must.M1(filepath.Glob(docsRoot+"/*/*/README.md"))...) {
		text := string(must.M1(os.ReadFile(path)))
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(m[1], "://") {
				continue
			}
			to := filepath.Join(filepath.Dir(path), target)
			if target == "" {
				to = path
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", path, m[1])
			} else if strings.HasSuffix(to, ".md") && !anchors(string(must.M1(os.ReadFile(to))))[anchor] {
				t.Errorf("%s links to %s, which has no such heading", path, m[1])
			}
		}
	}
}

// The README is short, and prose keeps to lines that a terminal shows.
func TestReadmeIsShort(t *testing.T) {
	text := string(must.M1(os.ReadFile(docsRoot + "/README.md")))
	if words := len(strings.Fields(text)); words > 1200 {
		t.Errorf("README.md has %d words, at most 1,200 are wanted", words)
	}
	for _, path := range documents() {
		fenced := false
		for i, line := range strings.Split(string(must.M1(os.ReadFile(path))), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
			}
			wide := len([]rune(line)) > 120 && !fenced && strings.Contains(line, " ")
			if wide && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "<!--") &&
				!strings.HasPrefix(line, "![") {
				t.Errorf("%s:%d has %d columns, at most 120 are wanted", path, i+1, len([]rune(line)))
			}
		}
	}
}
