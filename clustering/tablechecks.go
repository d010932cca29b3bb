package clustering

import (
	"fmt"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/mixture"
)

// addChecks fills Groups, and warns if the clusters may be pieces of one group, or stretches of a series.
func (r *Result) addChecks(checks *mixture.Checks) {
	names := r.Table.Clusters
	r.Groups = make([]int, r.K)
	for k, group := range checks.Groups {
		if names[k] != None {
			r.Groups[names[k]] = group
		}
	}
	if joined := checks.Unseparated(); len(joined) > 0 {
		var said []string
		for _, group := range joined {
			said = append(said, namedClusters(names, group...))
		}
		r.warn("no valley between %s: they may be pieces of one skewed or bent group; %s in %s",
			strings.Join(said, ", and none between "), text.Count(r.K, "cluster"),
			text.Count(checks.Separated, "separated group"))
	}
	if checks.Alike() {
		r.warn("neighbouring rows of the file are alike within clusters: of a time series, the clusters may be its " +
			"stretches")
	}
}

// namedClusters lists clusters of a fit by their labels.
func namedClusters(names []int32, clusters ...int) string {
	var said []string
	for _, k := range clusters {
		said = append(said, fmt.Sprint(names[k]))
	}
	if len(said) == 1 {
		return "cluster " + said[0]
	}
	last := len(said) - 1
	return "clusters " + strings.Join(said[:last], ", ") + " and " + said[last]
}

func (r *Result) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}
