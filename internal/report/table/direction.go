package table

import (
	"cmp"
	"math"
	"regexp"
	"slices"
)

// Metrics whose larger values are better, and metrics whose smaller values are. Others, such as a number of clusters,
// have no better direction.
var (
	scoreMetrics = regexp.MustCompile(`^(NMI|ARI|log-prob|` + propertyMetric + `)([^\pL\p{Nd}]|$)`)
	errorMetrics = regexp.MustCompile(`^(MC|SDPP|KL|TV|ECE|co-clustering|deviation|\|K − true\|)([^\pL\p{Nd}]|$)`)
)

// references know the mixture, or how many clusters there are, so they do not compete with trained models.
var references = []string{"Exact", "Exact, online", "Gibbs", "Oracle", "KMeans (true K)"}

// Direction is 1 for a metric whose larger values are better, −1 for a metric whose smaller values are better, and 0
// for others. Text after the metric's name does not count: "MC_eps" and "KL a point" are errors.
func Direction(metric string) int {
	switch {
	case scoreMetrics.MatchString(metric):
		return 1
	case errorMetrics.MatchString(metric):
		return -1
	}
	return 0
}

// arrow shows the direction of a metric.
func arrow(metric string) string {
	if metric == propertyMetric {
		return ""
	}
	return map[int]string{1: "↑", -1: "↓"}[Direction(metric)]
}

// bestCells are the cells whose mean of ours is the best as printed: of each metric that has a better side on each data
// set, among at least two trained models.
func bestCells(cells []Cell) map[*Cell]bool {
	type contest struct{ data, metric string }
	rivals := map[contest][]*Cell{}
	for i := range cells {
		c := &cells[i]
		competes := c.Metric != propertyMetric && !slices.Contains(references, c.Model)
		if competes && c.Ours != nil && !math.IsNaN(c.Ours.Mean) && Direction(c.Metric) != 0 {
			of := contest{c.Data, c.Metric}
			rivals[of] = append(rivals[of], c)
		}
	}
	best := map[*Cell]bool{}
	for of, all := range rivals {
		top := slices.MaxFunc(all, func(a, b *Cell) int {
			return Direction(of.metric) * cmp.Compare(a.Ours.Mean, b.Ours.Mean)
		})
		for _, c := range all {
			best[c] = len(all) > 1 && printedMean(c) == printedMean(top)
		}
	}
	return best
}

// printedMean is the mean of ours as a reader sees it, without its deviation.
func printedMean(c *Cell) string { return FormatValue(c.Metric, &Value{Mean: c.Ours.Mean}, false) }
