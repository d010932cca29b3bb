package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/metrics"
)

// differences lists a metric of setting a minus that of setting b under each seed that both have finished.
func (r results) differences(a, b Setting, metric evaluation.Metric) (values []float64) {
	for i := range a.Jobs {
		of, doneA := r.tested[a.Jobs[i]]
		from, doneB := r.tested[b.Jobs[i]]
		if doneA && doneB {
			values = append(values, metric.Of(of.Scores)-metric.Of(from.Scores))
		}
	}
	return values
}

// unlike reports whether the settings on a data set have different test sets, so that their scores cannot be compared.
func (r results) unlike(data string) bool {
	var sets []evaluation.Test
	for _, s := range r.plan.Settings {
		if s.Data == data {
			sets = append(sets, r.plan.Jobs[s.Jobs[0]-1].Test)
		}
	}
	return slices.ContainsFunc(sets, func(t evaluation.Test) bool { return t != sets[0] })
}

// comparisons tells in a sentence for each setting how it differs from the first one on its data, with standard errors
// over seeds. A single seed has no error, so there is no sentence.
func (r results) comparisons() (sentences []string) {
	for _, set := range r.plan.Settings {
		first := slices.IndexFunc(r.plan.Settings, func(s Setting) bool { return s.Data == set.Data })
		base := r.plan.Settings[first]
		if base.Label == set.Label || r.unlike(set.Data) {
			continue
		}
		var parts []string
		seeds := 0
		for _, metric := range evaluation.MetricsOf(r.plan.Metrics...) {
			model := func(s Setting) string { return r.plan.Jobs[s.Jobs[0]-1].Config.Model }
			if !metric.Has(model(set)) || !metric.Has(model(base)) {
				continue
			}
			if values := r.differences(set, base, metric); len(values) > 1 {
				seeds = len(values)
				mean, std := metrics.Summary(values)
				parts = append(parts, fmt.Sprintf("%s %+.3g ± %.2g", metric.Name, mean, std/math.Sqrt(float64(seeds))))
			}
		}
		if len(parts) > 0 {
			sentences = append(sentences, fmt.Sprintf("%s − %s (%s), means of %d seeds ± standard error: %s.",
				set.Label, base.Label, set.Data, seeds, strings.Join(parts, ", ")))
		}
	}
	return sentences
}
