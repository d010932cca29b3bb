package evaluation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"golang.org/x/sync/errgroup"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// Quality holds the scores of a model's point estimate (greedy decoding, for an energy network) on held-out sets. Every
// number is a mean over the sets. Only energy networks have MC and the log-probability.
type Quality struct {
	Sets     int     `json:"sets"`
	NMI      float64 `json:"nmi"`
	ARI      float64 `json:"ari"`
	MC       float64 `json:"mc,omitzero"`      // exact sum over n = 2..N on the true labels
	MCEps    float64 `json:"mc_eps,omitzero"`  // mean per step with clamped log-flows (published code)
	MCLast   float64 `json:"mc_last,omitzero"` // the term n = N alone
	LogProb  float64 `json:"log_prob,omitzero"`
	Clusters float64 `json:"clusters"` // found
	Truth    float64 `json:"truth"`    // number of true clusters
}

// Tested is the result of a finished training, with its scores on a test.
type Tested struct {
	Result train.Result `json:"result"`
	Scores Quality      `json:"scores"`
}

// Metric is a field of Quality, with its name in tables.
type Metric struct {
	Name     string
	Energies bool // only energy networks have it
	verb     string
	field    func(q *Quality) *float64
}

// metricList lists the metrics of means, tables, sweeps and commands; table.Direction says if a larger value is better.
var metricList = []Metric{
	{"NMI", false, "%.3f", func(q *Quality) *float64 { return &q.NMI }},
	{"ARI", false, "%.3f", func(q *Quality) *float64 { return &q.ARI }},
	{"MC", true, "%.4g", func(q *Quality) *float64 { return &q.MC }},
	{"MC_eps", true, "%.4g", func(q *Quality) *float64 { return &q.MCEps }},
	{"MC_last", true, "%.4g", func(q *Quality) *float64 { return &q.MCLast }},
	{"log-prob", true, "%.1f", func(q *Quality) *float64 { return &q.LogProb }},
	{"clusters", false, "%.1f", func(q *Quality) *float64 { return &q.Clusters }},
	{"true clusters", false, "%.1f", func(q *Quality) *float64 { return &q.Truth }},
}

// Metrics lists the names of all metrics.
func Metrics() (names []string) {
	for _, m := range metricList {
		names = append(names, m.Name)
	}
	return names
}

// FindMetric returns a metric by its name, or a *usererr.Error.
func FindMetric(name string) (Metric, error) {
	if i := slices.IndexFunc(metricList, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return metricList[i], nil
	}
	return Metric{}, usererr.Unknown(name, Metrics(), "metric %q is not known", name)
}

// MetricsOf lists metrics by their names, which must be known.
func MetricsOf(names ...string) (all []Metric) {
	for _, name := range names {
		m, err := FindMetric(name)
		if err != nil {
			panic(err)
		}
		all = append(all, m)
	}
	return all
}

// Of returns the metric's value in q.
func (m Metric) Of(q Quality) float64 { return *m.field(&q) }

// Scores returns all metrics by name.
func (q Quality) Scores() Scores {
	all := Scores{}
	for _, m := range metricList {
		all[m.Name] = m.Of(q)
	}
	return all
}

// Has reports whether a model of a kind (train.Models) has the metric.
func (m Metric) Has(model string) bool { return !m.Energies || HasEnergies(model) }

// Text returns the metric's value in q, rounded for people.
func (m Metric) Text(q Quality) string { return fmt.Sprintf(m.verb, m.Of(q)) }

// HasEnergies reports whether a model of a kind is an energy network.
func HasEnergies(model string) bool { return model != "" && train.KindOf(model).Energies() }

// String returns NMI, ARI, MC if it is above 0, and the number of sets in one line.
func (q Quality) String() string {
	var words []string
	for _, m := range MetricsOf("NMI", "ARI", "MC") {
		if !m.Energies || m.Of(q) > 0 {
			words = append(words, m.Name+" "+m.Text(q))
		}
	}
	return fmt.Sprintf("%s on %d sets", strings.Join(words, ", "), q.Sets)
}

// Compare returns the Quality of one set from its true labels and the labels found, both [N]. Fields that need energies
// are 0. Errors come from metrics.NMI and metrics.ARI.
func Compare(truth, found []int32) (q Quality, err error) {
	if q.NMI, err = metrics.NMI(truth, found); err != nil {
		return q, err
	}
	if q.ARI, err = metrics.ARI(truth, found); err != nil {
		return q, err
	}
	q.Sets, q.Clusters, q.Truth = 1, float64(metrics.Clusters(found)), float64(metrics.Clusters(truth))
	return q, nil
}

func (q *Quality) withEnergies(table metrics.EnergyTable, truth []int32) error {
	mc, err := metrics.MC(table, truth)
	if err != nil {
		return err
	}
	q.MC, q.MCEps, q.MCLast = mc.MC, mc.MCEps, mc.LastTerm
	q.LogProb, err = metrics.LogProb(table, truth)
	return err
}

func (q *Quality) add(set Quality) {
	q.Sets += set.Sets
	for _, m := range metricList {
		*m.field(q) += *m.field(&set)
	}
}

func (q *Quality) toMeans() {
	for _, m := range metricList {
		*m.field(q) *= 1 / float64(q.Sets)
	}
}

// Model scores a trained model on the first sets of a source: an energy network by its greedy labels and its energies
// along the true ones, a peer by its labels.
func Model(
	ctx context.Context, backend compute.Backend, m *train.Model, source data.Source, seed uint64, sets int,
) (Quality, error) {
	if m.Config.IsPeer() {
		c, err := m.Clusterer(backend)
		if err != nil {
			return Quality{}, err
		}
		return Labels(ctx, source, seed, sets, func(step int, batch *data.Batch) ([][]int32, error) {
			return c.Cluster(data.Rand(seed, "evaluate", step), batch.X, batch.B, batch.N)
		})
	}
	net, err := m.Network(backend)
	if err != nil {
		return Quality{}, err
	}
	return networkQuality(ctx, net, source, seed, sets)
}

func networkQuality(
	ctx context.Context, net *models.Network, source data.Source, seed uint64, sets int,
) (Quality, error) {
	r, err := NewReader(net, source, seed, sets)
	if err != nil {
		return Quality{}, fmt.Errorf("evaluate: %w", err)
	}
	return r.mean(ctx, seed, sets, func(batch embedded) ([]Quality, error) {
		found, err := greedyLabels(net, batch)
		if err != nil {
			return nil, err
		}
		tables, err := net.TablesOf(batch.h, batch.u, batch.Labels, batch.B, batch.N)
		if err != nil {
			return nil, err
		}
		return compared(batch, found, tables)
	})
}

// Labels returns the mean scores of the labels that find returns for each batch, [B][N]; more than B are ignored.
// Fields that need energies are 0. Errors come from source and find, or are train.ErrInterrupted.
func Labels(ctx context.Context, source data.Source, seed uint64, sets int,
	find func(step int, batch *data.Batch) ([][]int32, error),
) (Quality, error) {
	r := &Reader{Source: source}
	return r.mean(ctx, seed, sets, func(batch embedded) ([]Quality, error) {
		found, err := find(batch.step, batch.Batch)
		if err != nil {
			return nil, err
		}
		return compared(batch, found, nil)
	})
}

// scoredAtOnce is the number of batches that are scored side by side: one alone uses a single core at times.
const scoredAtOnce = 2

// mean returns the means over sets of the scores that score returns for batches. Several goroutines call score.
func (r *Reader) mean(
	ctx context.Context, seed uint64, sets int, score func(batch embedded) ([]Quality, error),
) (q Quality, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(scoredAtOnce)
	var scored []*[]Quality
	for batch, err := range r.batches(ctx, seed, sets) {
		all := new([]Quality)
		scored = append(scored, all)
		group.Go(func() error {
			if err == nil {
				*all, err = score(batch)
			}
			return err
		})
	}
	switch err := group.Wait(); {
	case errors.Is(err, train.ErrInterrupted):
		return q, err
	case err != nil:
		return q, fmt.Errorf("evaluate: %w", err)
	}
	for _, all := range scored {
		for _, set := range *all {
			q.add(set)
		}
	}
	q.toMeans()
	return q, nil
}

// compared returns the scores of each set of a batch, from the labels found and, if tables is not nil, its energies.
func compared(batch embedded, found [][]int32, tables [][][]float64) (all []Quality, err error) {
	all = make([]Quality, batch.B)
	for b := range all {
		_, truth := batch.Set(b)
		all[b], err = Compare(truth, found[b])
		if err == nil && tables != nil {
			err = all[b].withEnergies(tables[b], truth)
		}
		if err != nil {
			return nil, fmt.Errorf("set %d: %w", b, err)
		}
	}
	return all, nil
}
