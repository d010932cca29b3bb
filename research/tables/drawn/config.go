// Package drawn draws tables of numbers with clusters in them, the prior of a model of tables: clusters of a common
// kind, and then what makes real tables difficult. Each ingredient is put into a share of the tables (Config),
// independently of the others.
package drawn

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Config says how large tables are, and what share of them has each ingredient; 0 leaves it out. Start from Default.
//
//   - MaxColumns bounds the columns of numbers, 1..32; their number is log-uniform, from 2, but for a few of one.
//     Categories come on top.
//   - MaxK bounds the number of clusters, 1..64.
//   - Process is the share whose partition is a Chinese restaurant process, with few large and many small clusters. In
//     the others K is spread over 1 to MaxK, fewer being likelier, and the sizes are Dirichlet.
//   - Tied is the share whose clusters have one covariance, Round the share in which each is a multiple of the unit
//     matrix, Aligned the share in which they are diagonal.
//   - Tails is the share with the tails of Student's t in place of the normal ones.
//   - Curved is the share with bent clusters: parabolas, rings, and images of Gaussians under random smooth maps.
//   - Mixed is the share whose columns are linear combinations of fewer ones, so that they are correlated.
//   - Outliers is the share with rows that lie off their cluster, at most one in twenty.
//   - Skewed and Discrete are the shares of which every other column is bent to one side, or rounded to few values.
//   - Noise is the share with columns that know nothing of the clusters.
//   - Categories is the share with columns of categories, as indicators.
type Config data.Tables

// Default is the prior that a training on tables starts from.
func Default() Config { return Config(data.DefaultTables().Tables) }

// The bounds of Config.
const (
	mostColumns  = 32
	mostClusters = 64
)

// Validate reports every setting out of bounds, one *usererr.Error each.
func (c Config) Validate() error {
	var faults usererr.Faults
	within := func(key string, value, most int) {
		faults.Demand(value >= 1 && value <= most, "tables."+key, value, fmt.Sprintf("1 to %d", most))
	}
	within("max_columns", c.MaxColumns, mostColumns)
	within("max_k", c.MaxK, mostClusters)
	for field, value := range reflect.ValueOf(c).Fields() {
		if share, is := value.Interface().(float64); is {
			faults.Demand(share >= 0 && share <= 1, "tables."+field.Tag.Get("toml"), share, "0 to 1")
		}
	}
	return errors.Join(faults...)
}
