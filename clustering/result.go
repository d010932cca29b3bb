package clustering

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// SchemaVersion is the version of the JSON that Result and ScoreResult marshal to. It changes when a field is renamed,
// removed or changes its meaning; new fields do not change it.
const SchemaVersion = 3

// Result is a point estimate of the clusters, with its uncertainty. Scripts read its JSON form (SchemaVersion).
type Result struct {
	SchemaVersion int `json:"schema_version"`
	// Model names the weights. Table sets it to MixtureModel; the caller of Cluster must set it.
	Model  string `json:"model"`
	Decode string `json:"decode"`
	Seed   uint64 `json:"seed"`
	// Labels [N] is the point estimate, K its number of clusters. Outlying is the number of rows of a table outside the
	// K clusters; their label is None. LogProb is a network's log p(c|x) of the labels, up to a constant. For a table
	// it is the log of the share of draws that equal the labels, at least of one draw.
	Labels   []int32 `json:"labels"`
	K        int     `json:"k"`
	Outlying int     `json:"outlying"`
	LogProb  float64 `json:"log_prob"`
	// Probabilities [N][K+1]: how often each point was in each cluster of the point estimate and, last, in another
	// cluster or in no cluster (posterior.Assignments). Rows sum to 1. With Subset, points outside the subset are
	// predicted, and Probabilities is nil if N·(K+1) is above 4 million.
	Probabilities [][]float64 `json:"probabilities,omitempty"`
	// Probability [N] is the probability of each point's label. It is nil without Subset; use Probabilities.
	Probability []float32 `json:"probability,omitempty"`
	// Uncertainty [N] measures how uncertain each point's cluster is; nil with Subset.
	Uncertainty []posterior.PointUncertainty `json:"uncertainty,omitempty"`
	// ExpectedVI, in nats, and ExpectedBinder, as a fraction of the pairs, are the mean losses between the samples
	// and the point estimate (posterior.LossVI, posterior.LossBinder).
	ExpectedVI     float64 `json:"expected_vi"`
	ExpectedBinder float64 `json:"expected_binder"`
	// KPosterior is P(K), in increasing K, over a network's samples or all kept sweeps of a table's chains. For a
	// table, clusters of outlying rows do not count in K (mixture.Posterior.Counted).
	KPosterior []posterior.KProb `json:"k_posterior"`
	// KPrior is a network's prior P(K) for this number of points, in increasing K. It is nil for a table, for a network
	// with a fixed K, and for fewer points than the least K.
	KPrior []posterior.KProb `json:"k_prior,omitempty"`
	// Samples are the distinct partitions drawn, the most probable first. A network's log p(c|x) is the log-mean over
	// four orders for the estimate and the ten most probable partitions. For the others it is the value of the first
	// order. For a table it is the log of the partition's share of the draws.
	Samples []posterior.Distinct `json:"samples"`
	// Center [D] and ScaleFactor tell how the points were prepared: (x − Center) · ScaleFactor. For images and tables
	// Center is empty and ScaleFactor 1.
	Center      []float32 `json:"center"`
	ScaleFactor float64   `json:"scale_factor"`
	// CoClustering [N][N] is how often two points shared a cluster; nil unless Options.CoClustering is set.
	CoClustering [][]float64 `json:"co_clustering,omitempty"`
	// Chains describes the sampling of a table and its convergence; nil for a network.
	Chains *Chains `json:"chains,omitempty"`
	// Groups [K] is the group of each cluster of a table, from 0. Clusters share a group if the density has no valley
	// between them. It is nil for a network, and if Options.Known holds labels or pairs of rows, or asks for at least
	// two clusters.
	Groups []int `json:"groups,omitempty"`
	// Columns tell how a table's columns are used; nil for a network.
	Columns []ColumnUse `json:"columns,omitempty"`
	// Table predicts further rows of a table, Network further points for a network. The other one is nil.
	Table   *TableFit   `json:"-"`
	Network *NetworkFit `json:"-"`
	// Subset tells which points were sampled; nil if all were.
	Subset *Subset `json:"subset,omitempty"`
	// Warnings tell why the result may be unreliable, one line each.
	Warnings []string `json:"warnings"`
}

// Light returns a copy without the values for single points, except labels, samples and the subset.
func (r *Result) Light() *Result {
	light := *r
	light.Probabilities, light.Probability, light.Uncertainty, light.CoClustering = nil, nil, nil, nil
	return &light
}

func likeliest(law []posterior.KProb) posterior.KProb {
	return slices.MaxFunc(law, func(a, b posterior.KProb) int { return cmp.Compare(a.P, b.P) })
}

// summarize fills in the fields that follow from the labels and the samples [S][N], whose log-probabilities may be nil.
// Without samples the labels count as one.
func (r *Result) summarize(samples [][]int32, logProbs []float64, o Options) {
	r.K = metrics.Clusters(r.Labels)
	r.Samples = append([]posterior.Distinct{}, posterior.Collapse(samples, logProbs)...) // never nil: JSON shows a list
	if len(samples) == 0 {
		samples = [][]int32{r.Labels}
	}
	r.KPosterior = posterior.KPosterior(samples)
	r.Probabilities = posterior.Assignments(r.Labels, samples)
	r.Uncertainty = posterior.Uncertainty(r.Labels, samples)
	r.ExpectedVI = posterior.LossVI.Expected(r.Labels, samples)
	r.ExpectedBinder = posterior.LossBinder.Expected(r.Labels, samples)
	if o.CoClustering {
		matrix := posterior.CoClustering(samples)
		for i := range r.Labels {
			r.CoClustering = append(r.CoClustering, mat.Row(nil, i, matrix))
		}
	}
}
