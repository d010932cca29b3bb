// Package rivals clusters tables by mclust and HDBSCAN in R, and by mixtures and k-means in scikit-learn.
package rivals

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/gfncp/gfncp/research/tables/interpreter"
	"github.com/gfncp/gfncp/research/tables/tablesets"
)

var (
	//go:embed rivals.py
	pythonScript string
	//go:embed rivals.R
	rScript string
)

// Rival is a method of a script.
type Rival struct {
	ID, Name string // in the script, and in tables
	Script   *Script
}

// Script runs several rivals in one language.
type Script struct {
	Language interpreter.Language
	install  string // the Debian packages that it needs
	text     string
}

// The scripts.
var (
	Python = &Script{interpreter.Python, "python3-sklearn", pythonScript}
	R      = &Script{interpreter.R, "r-cran-mclust r-cran-dbscan r-cran-jsonlite", rScript}
)

// All are the rivals in the order of tables.
var All = []Rival{
	{"mclust", "mclust", R},
	{"gmm-full", "GMM full, BIC", Python},
	{"gmm-diag", "GMM diagonal, BIC", Python},
	{"bgmm", "Bayesian GMM", Python},
	{"hdbscan-5", "HDBSCAN 5", R},
	{"hdbscan-15", "HDBSCAN 15", R},
	{"kmeans", "KMeans (true K)", Python},
}

// MostClusters is the largest number of clusters that is tried where it is searched for.
const MostClusters = 15

// Noise is the label of points that HDBSCAN puts into no cluster.
const Noise = -1

// Answer is a rival's result for a set.
type Answer struct {
	Labels  []int32 `json:"labels"`  // [N], Noise for noise
	Seconds float64 `json:"seconds"` // of the processor
	Fault   string  `json:"fault"`   // not empty: it failed, and all points are in one cluster
}

// Answers are the results of a script's rivals for some sets.
type Answers struct {
	Versions string              `json:"versions"` // of the language and its packages
	Results  []map[string]Answer `json:"results"`  // for each set, by Rival.ID
}

type request struct {
	Seed int     `json:"seed"`
	Most int     `json:"most"`
	Sets []given `json:"sets"`
}

type given struct {
	D int       `json:"d"`
	X []float64 `json:"x"`
	K int       `json:"k"`
}

// Key returns everything that the answers depend on.
func (s *Script) Key(sets []tablesets.Set) any { return []any{s.text, newRequest(sets)} }

// Run clusters sets as they are. It returns an error if the language or a package is missing.
func (s *Script) Run(ctx context.Context, sets []tablesets.Set) (answers Answers, err error) {
	if err = s.Language.Run(ctx, s.text, newRequest(sets), &answers); err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w; install what is missing, on Debian by apt-get install %s", err, s.install)
	}
	return answers, err
}

func newRequest(sets []tablesets.Set) request {
	r := request{Seed: 1, Most: MostClusters}
	for _, s := range sets {
		r.Sets = append(r.Sets, given{s.D, s.X, s.K()})
	}
	return r
}
