package page

import (
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/board"
	"github.com/gfncp/gfncp/internal/report/explorer"
)

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
