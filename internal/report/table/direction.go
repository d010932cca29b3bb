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

// Contests calls decide with the best of competing cells and all of them: for each metric on a data set that has a
// better side and two numbers at least, in the order of the cells.
func Contests(cells []Cell, competes func(c *Cell) bool, decide func(top *Cell, rivals []*Cell)) {
	type contest struct{ data, metric string }
	var order []contest
	rivals := map[contest][]*Cell{}
	for i := range cells {
		c := &cells[i]
		if c.Ours == nil || math.IsNaN(c.Ours.Mean) || Direction(c.Metric) == 0 || !competes(c) {
			continue
		}
		of := contest{c.Data, c.Metric}
		if rivals[of] == nil {
			order = append(order, of)
		}
		rivals[of] = append(rivals[of], c)
	}
	for _, of := range order {
		if all := rivals[of]; len(all) > 1 {
			decide(slices.MaxFunc(all, func(a, b *Cell) int {
				return Direction(of.metric) * cmp.Compare(a.Ours.Mean, b.Ours.Mean)
			}), all)
		}
	}
}

// bestCells are the cells whose mean of ours is the best as printed, among at least two trained models.
func bestCells(cells []Cell) map[*Cell]bool {
	best := map[*Cell]bool{}
	trained := func(c *Cell) bool { return c.Metric != propertyMetric && !slices.Contains(references, c.Model) }
	Contests(cells, trained, func(top *Cell, rivals []*Cell) {
		for _, c := range rivals {
			best[c] = PrintedMean(c) == PrintedMean(top)
		}
	})
	return best
}

// PrintedMean is the mean of ours as a reader sees it, without its deviation.
func PrintedMean(c *Cell) string { return FormatValue(c.Metric, &Value{Mean: c.Ours.Mean}, false) }
