//go:build js && wasm

// Command page is `gfncp cluster FILE --html` in a browser: worker.js runs it for one file, which stays in the page.
// .ci/page.sh builds it, with the page around it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"syscall/js"
	"time"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/cmd/internal/answer"
)

// options are the flags that the page has, as JSON. Omitted flags have the command's defaults.
type options struct {
	Seed            uint64
	K               string
	Labels          string
	Columns, Ignore []string
	IgnoreText      bool
}

// The worker's global task has the name of the file, the options, and the callbacks progress and answered.
func main() {
	task := js.Global().Get("task")
	progress := func(part string, done, total int) { task.Call("progress", part, done, total) }
	start := time.Now()
	page, report, err := cluster(task.Get("name").String(), task.Get("options").String(), progress)
	if err != nil {
		task.Call("answered", map[string]any{"fault": answer.Fault(err)})
		return
	}
	html := js.Global().Get("Uint8Array").New(len(page))
	js.CopyBytesToJS(html, page)
	task.Call("answered", map[string]any{"html": html, "report": report, "seconds": time.Since(start).Seconds()})
}

// cluster clusters a file as the command does, and returns the explorer and the report.
func cluster(path, settings string, hear func(part string, done, total int)) (page []byte, report string, err error) {
	o := root.DefaultOptions()
	given := options{Seed: o.Seed}
	if err := json.Unmarshal([]byte(settings), &given); err != nil {
		return nil, "", err
	}
	o.Seed, o.Progress = given.Seed, hear
	if o.Least, o.Most, err = answer.ParseNumber(given.K); err != nil {
		return nil, "", err
	}
	points, err := root.ReadPoints(path, &root.FileOptions{
		LabelColumn: given.Labels, Columns: given.Columns, Ignore: given.Ignore, IgnoreText: given.IgnoreText,
	})
	if err != nil {
		return nil, "", err
	}
	found, err := root.Cluster(context.Background(), points, o)
	if err != nil {
		return nil, "", err
	}
	view, err := answer.NewView(points.Input(), found.Result, found.Notes)
	if err != nil {
		return nil, "", err
	}
	drawn, err := found.Drawn()
	if err != nil {
		return nil, "", err
	}
	view.Next = nil // flags that the page lacks
	var html bytes.Buffer
	var text strings.Builder
	explorer := answer.Explorer(drawn, found.Result)
	err = errors.Join(explorer.HTML(&html), answer.Reports.ExecuteTemplate(&text, "cluster", view))
	return html.Bytes(), text.String(), err
}
