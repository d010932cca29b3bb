// Command baselines clusters the first test sets of tables 2 and 3 by scikit-learn's k-means and spectral clustering,
// which get the true K and only the points: coordinates of mixtures, pixels of images.
//
//	cd research/tables
//	go run ./baselines -sets 300
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/research/tables/interpreter"
	"github.com/gfncp/gfncp/train"
)

//go:embed baselines.py
var script string

// methods are the baselines by their names in the script.
var methods = []string{"k-means", "spectral"}

type request struct {
	Method string      `json:"method"`
	D      int         `json:"d"`
	K      []int       `json:"k"` // true clusters of each set
	Sets   [][]float32 `json:"sets"`
}

func main() {
	sets := flag.Int("sets", 300, "test sets of each data set")
	flag.Parse()
	for _, table := range []struct {
		name   string
		fixedK int
	}{{"table 2", 6}, {"table 3", 0}} {
		for _, source := range []string{data.SourceMoG, data.SourceMNIST, data.SourceFashion} {
			score(table.name, source, table.fixedK, *sets)
		}
	}
}

// score prints the mean NMI and ARI of each baseline on the first test sets of a table's cell.
func score(table, name string, fixedK, sets int) {
	cell := must.M1(experiments.Night.Cell(train.NCP, name, experiments.StartPaper))
	c := cell.Config()
	c.Data.FixedK = fixedK
	test := cell.Test(c)
	source := must.M1(sources.Source(test.Data))
	for _, method := range methods {
		q := must.M1(evaluation.Labels(context.Background(), source, test.Seed, sets,
			func(_ int, batch *data.Batch) ([][]int32, error) { return cluster(method, batch) }))
		fmt.Printf("%s, %s, %s (true K): NMI %.3f, ARI %.3f, %d sets of %d points\n",
			table, name, method, q.NMI, q.ARI, q.Sets, test.Data.NMin)
	}
}

// cluster returns the labels of a baseline for each set of a batch.
func cluster(method string, batch *data.Batch) (labels [][]int32, err error) {
	r := request{Method: method, D: batch.D}
	for i := range batch.B {
		x, truth := batch.Set(i)
		r.Sets, r.K = append(r.Sets, x), append(r.K, metrics.Clusters(truth))
	}
	err = interpreter.Python.Run(context.Background(), script, r, &labels)
	return labels, err
}
