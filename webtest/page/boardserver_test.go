package page

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/board"
	"github.com/gfncp/gfncp/internal/report/explorer"
	"github.com/gfncp/gfncp/train"
)

// writeRun makes a run directory with so many steps in its log, a validation after each tenth. What a reader of the
// files sees is what train.Run writes; its log is three days old.
func writeRun(t *testing.T, dir string, steps int) {
	t.Helper()
	must.M(os.MkdirAll(dir, 0o755))
	must.M(os.WriteFile(filepath.Join(dir, "config.toml"), []byte(train.Default(train.GFNCP).String()), 0o644))
	grow(t, dir, 1, steps)
	old := time.Now().Add(-73 * time.Hour)
	must.M(os.Chtimes(filepath.Join(dir, "metrics.jsonl"), old, old))
}

// grow appends steps to a run's log.
func grow(t *testing.T, dir string, from, to int) {
	t.Helper()
	file := must.M1(os.OpenFile(filepath.Join(dir, "metrics.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644))
	for step := from; step <= to; step++ {
		must.M1(file.WriteString(logLine(step)))
	}
	must.M(file.Close())
}

func logLine(step int) string {
	text := fmt.Sprintf(`{"step":%d,"kind":"data","loss":%g,"grad_norm":%g,"learning_rate":0.001,"points":100,`+
		`"clusters":6,"seconds":0.2}`+"\n", step, 3/(1+0.05*float64(step)), 1+float64(step%7))
	if step%10 == 0 {
		text += fmt.Sprintf(`{"step":%d,"validation_loss":%g,"nmi":%g,"found_clusters":7,"true_clusters":6,`+
			`"best":true}`+"\n", step, 2.5/(1+0.04*float64(step)), 1-1/(1+0.1*float64(step)))
	}
	return text
}

// twoHalves stands for the clustering, which is the caller's: it puts the lower half of a file's rows in one cluster.
func twoHalves(_ context.Context, path, page string) error {
	file := must.M1(os.Open(path))
	defer func() { must.M(file.Close()) }()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return errors.New(path + ":2: is no table")
	}
	p := &explorer.Page{
		Title: filepath.Base(path), Noun: "point", Place: "line", Estimate: "by halves", LogName: "log p", K: 2,
		Uncertain: 0.9, Posterior: []explorer.KProb{{K: 2, P: 1}}, Heads: rows[0], Cells: make([][]string, 2),
	}
	for i, row := range rows[1:] {
		for j, cell := range row {
			must.M1(strconv.ParseFloat(cell, 64))
			p.Cells[j] = append(p.Cells[j], cell)
		}
		p.Places, p.Probability = append(p.Places, i+2), append(p.Probability, 1)
		p.Labels = append(p.Labels, int32(2*i/(len(rows)-1)))
	}
	return p.Save(page)
}

// serve serves a board until the test ends, and returns its address.
func serve(t *testing.T, b *board.Board) string {
	t.Helper()
	b.Every = 30 * time.Millisecond
	if b.Cluster == nil {
		b.Cluster = twoHalves
	}
	address, ended := make(chan string, 1), make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() { ended <- b.Serve(ctx, 0, func(url string) { address <- url }) }()
	t.Cleanup(func() {
		stop()
		must.M(<-ended)
	})
	return <-address
}
