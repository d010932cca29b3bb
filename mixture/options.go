package mixture

import (
	"fmt"
	"time"
)

// Options are the settings of Sample; the zero value means the defaults.
type Options struct {
	Seed  uint64
	Work  float64       // most rows × sweeps, of all chains together; 0 means about ten seconds of one core
	Time  time.Duration // ends the sampling in place of Work; 0 means no limit
	Draws int           // most partitions that are kept; 0 means 1,000

	Known // prior knowledge about the clusters

	Progress func(done, most int) // called after each block of sweeps of each chain; nil for none
	RowName  func(row int) string // names a row, from 0, in errors; nil for "row 0" and so on
}

// Known is prior knowledge about a table's clusters. The posterior is conditional on it.
type Known struct {
	Least, Most     int       // number of clusters, 0 for free; with either, every row is in a cluster
	Together, Apart [][2]int  // pairs of rows, from 0, that are in one cluster, or in different ones
	Given           []int32   // [N], labels: equal ones are together, different ones apart; −1 where unknown
	Weights         []float64 // [N], whole numbers: how many equal rows each row stands for
}

// rowName names a row for the user.
func (o *Options) rowName(row int) string {
	if o.RowName == nil {
		return fmt.Sprintf("row %d", row)
	}
	return o.RowName(row)
}
