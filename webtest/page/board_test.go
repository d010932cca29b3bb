package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/board"
	"github.com/gfncp/gfncp/board/testruns"
)

// boardDesk is lower than desk: the board is.
var boardDesk = Screen{Width: 1280, Height: 950}

// steps is how many steps the first curve has.
const steps = "gfncp.curves.charts['step-chart']?.data.datasets[0]?.data.length"

// A run that grows moves its curve; half a line waits, a damaged one is told, and a run that disappears leaves the rest
// as it was.
func TestGrowingRun(t *testing.T) {
	runs := t.TempDir()
	dir := filepath.Join(runs, "growing")
	testruns.WriteRun(t, filepath.Join(runs, "other"), 20)
	testruns.WriteRun(t, dir, 10)
	testruns.Grow(t, dir, 11, 11) // it is the newest
	b := Open(t, serve(t, &board.Board{Folders: []string{runs}}), boardDesk)
	b.Await(steps + " === 11")
	testruns.Grow(t, dir, 12, 30)
	b.Await(steps + " === 30 && gfncp.curves.charts['valid-chart'].data.datasets[0].data.length === 3")
	if row := b.Text("#last tbody"); !strings.HasPrefix(row, "growing\t30\t1.2\t") {
		t.Errorf("the last values are %q", row)
	}
	b.Await("document.querySelector('#run-list .running').parentElement.textContent.includes('step 30 of')")
	file := must.M1(os.OpenFile(filepath.Join(dir, "metrics.jsonl"), os.O_APPEND|os.O_WRONLY, 0))
	must.M1(file.WriteString("damaged\n" + testruns.LogLine(31) + `{"step":32,"ki`))
	must.M(file.Close())
	b.Await(steps + " === 31")
	b.Await("document.querySelector('#faults').innerText.includes(\"line 34 is no line of a run's log\")")
	must.M(os.RemoveAll(dir))
	b.Await("!document.querySelector('#run-list').innerText.includes('growing')")
	b.Await("gfncp.curves.charts['step-chart'].data.datasets[0]?.data.length === 20")
	b.Quiet()
}

// The menus choose what is drawn, and a run is chosen and left by the keyboard alone.
func TestRunsByKeys(t *testing.T) {
	runs := t.TempDir()
	testruns.WriteRun(t, filepath.Join(runs, "a"), 20)
	testruns.WriteRun(t, filepath.Join(runs, "b"), 20)
	b := Open(t, serve(t, &board.Board{Folders: []string{runs}}), boardDesk)
	b.Await(steps + " === 20")
	for range 30 {
		if Value[bool](b, "document.activeElement.matches('#run-list li:nth-child(2) button')") {
			break
		}
		b.Keys(kb.Tab)
	}
	b.Keys(kb.Enter)
	b.Await("gfncp.board.chosen.length === 2 && gfncp.curves.charts['step-chart'].data.datasets[1]?.data.length === 20")
	b.Keys(kb.Enter)
	b.Await("gfncp.board.chosen.length === 1")
	b.Focus("#step-field")
	b.Keys(kb.ArrowDown + kb.ArrowDown)
	b.Await("gfncp.curves.charts['step-chart'].options.scales.y.title.text === 'grad norm'")
	b.Focus("#step-log")
	b.Keys(" ")
	b.Await("gfncp.curves.charts['step-chart'].options.scales.y.type === 'logarithmic'")
	b.Quiet()
}

// The end of the board is told; what is shown stays.
func TestBoardEnds(t *testing.T) {
	runs := t.TempDir()
	testruns.WriteRun(t, filepath.Join(runs, "a"), 20)
	url := serve(t, &board.Board{Folders: []string{runs}})
	b := Open(t, url, boardDesk)
	b.Await(steps + " === 20")
	b.Do("window.fetch = () => Promise.reject(new TypeError())")
	b.Await("document.querySelector('#live').classList.contains('lost')")
	if words := b.Text("#live"); !strings.Contains(words, "cannot be reached") || Value[int](b, steps) != 20 {
		t.Error(words)
	}
	b.Quiet()
}

// The board looks as a person has seen it, on a desk and a phone, in light and dark, and is no wider than the window.
func TestBoardLook(t *testing.T) {
	root := t.TempDir()
	testruns.WriteRun(t, filepath.Join(root, "runs", "mog-gfncp-warm"), 120)
	testruns.WriteRun(t, filepath.Join(root, "runs", "mog-ncp"), 60)
	must.M(os.WriteFile(filepath.Join(root, "runs", "mog-ncp", "result.json"), []byte("{}"), 0o644))
	older := time.Now().Add(-75 * time.Hour)
	must.M(os.Chtimes(filepath.Join(root, "runs", "mog-ncp", "metrics.jsonl"), older, older))
	url := serve(t, &board.Board{Folders: []string{root}})
	for _, s := range []Screen{
		boardDesk,
		{Width: 1280, Height: 950, Dark: true},
		{Width: 420, Height: 950},
		{Width: 420, Height: 950, Dark: true},
	} {
		t.Run(s.Name(), func(t *testing.T) {
			b := Open(t, url, s)
			b.Await(steps + " > 0")
			b.Do("gfncp.chooseRuns(gfncp.board.state.runs.map(run => run.id))")
			b.Await("gfncp.curves.charts['step-chart'].data.datasets[1]?.data.length > 0 && " + steps + " > 0")
			b.Fits()
			b.Compare("board", s)
			b.Quiet()
		})
	}
}
