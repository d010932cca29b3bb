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

// Direction is 1 for a metric whose larger values are better, −1 for one whose smaller ones are, and 0 for the others.
// What follows the metric's name does not count: "MC_eps" and "KL a point" are errors.
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

// bestCells reports for each cell whether our mean is the best as printed, among at least two trained models.
func bestCells(cells []Cell) []bool {
	type group struct{ data, metric string }
	members := map[group][]int{}
	for i := range cells {
		c := &cells[i]
		if c.Ours != nil && !math.IsNaN(c.Ours.Mean) && Direction(c.Metric) != 0 &&
			c.Metric != propertyMetric && !slices.Contains(references, c.Model) {
			g := group{c.Data, c.Metric}
			members[g] = append(members[g], i)
		}
	}
	best := make([]bool, len(cells))
	for g, all := range members {
		if len(all) < 2 {
			continue
		}
		top := slices.MaxFunc(all, func(i, j int) int {
			return Direction(g.metric) * cmp.Compare(cells[i].Ours.Mean, cells[j].Ours.Mean)
		})
		for _, i := range all {
			best[i] = PrintedMean(&cells[i]) == PrintedMean(&cells[top])
		}
	}
	return best
}

// PrintedMean is the mean of ours as a reader sees it, without its deviation.
func PrintedMean(c *Cell) string { return FormatValue(c.Metric, &Value{Mean: c.Ours.Mean}, false) }
