package answer

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/report/explorer"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// Limits of an explorer: a larger page is slow to open.
const (
	exploredClusterings = 100
	exploredLabels      = 2_000_000 // of all clusterings together
	exploredCells       = 1_000_000 // of the input's columns
	exploredPairs       = 360       // rows of the heat map
	exploredRivals      = 4         // of a point

	leastRival = 0.005 // probability of a rival that is shown
)

// Explorer returns the page of a clustering. It shows all points of an input with at most MostShown points. Of a larger
// input it shows the sampled points, and others evenly spread.
func Explorer(in *files.Input, r *clustering.Result) *explorer.Page {
	shown := exploredPoints(in.Len(), r)
	estimate := "the sample with the least expected VI"
	if r.Decode != clustering.DecodeVI {
		estimate = r.Decode + " decoding"
	}
	p := &explorer.Page{
		Title:    filepath.Base(filepath.Clean(in.Path)),
		Subtitle: fmt.Sprintf("Model %s, seed %d.", r.Model, r.Seed),
		Noun:     Noun(in), Place: "point", Estimate: estimate, LogName: "log p",
		Notes: AllFlags(slices.Concat(in.Notes, r.Warnings)),
		Names: Pick(in.Names, shown), Labels: Pick(r.Labels, shown), K: r.K,
		Probability: Pick(OwnProbabilities(r), shown), Rivals: rivalsOf(r, shown), Uncertain: figure.UncertainBelow,
		Posterior: exploredLaw(r.KPosterior), Prior: exploredLaw(r.KPrior),
	}
	if r.Table != nil {
		p.LogName = "log of the share of the draws"
	}
	if len(shown) < in.Len() {
		p.Notes = append(p.Notes, fmt.Sprintf("%s of %s points are shown; --out writes all.",
			text.Number(len(shown)), text.Number(in.Len())))
	}
	p.Places = slices.Clone(shown)
	if in.Lines != nil {
		p.Places, p.Place = Pick(in.Lines, shown), "line"
	}
	for _, i := range shown {
		if in.Labels != nil && in.Labels[i] < 0 {
			p.Known = append(p.Known, "")
		} else if in.Labels != nil {
			p.Known = append(p.Known, in.Classes[in.Labels[i]])
		}
	}
	addCoordinates(p, in, shown)
	addClusterings(p, r, shown)
	return p
}

// Pick returns the values at the given places, nil of nil.
func Pick[T any](values []T, at []int) []T {
	if values == nil {
		return nil
	}
	return Each(at, func(i int) T { return values[i] })
}

// PickPairs returns the pairs at the given places of a list of pairs.
func PickPairs[T any](values []T, at []int) (pairs []T) {
	for _, i := range at {
		pairs = append(pairs, values[2*i:2*i+2]...)
	}
	return pairs
}

// Spread lists `most` places among n, rising, evenly spread.
func Spread(n, most int) []int {
	all := make([]int, most)
	for i := range all {
		all[i] = i * n / most
	}
	return all
}

func indices(n int) []int { return Spread(n, n) }

// exploredPoints lists the points of the page, rising.
func exploredPoints(n int, r *clustering.Result) (shown []int) {
	if n <= MostShown {
		return indices(n)
	}
	if r.Subset != nil {
		shown = slices.Clone(r.Subset.Points)
	}
	shown = append(shown, Spread(n, MostShown-len(shown))...)
	slices.Sort(shown)
	return slices.Compact(shown)
}

// rivalsOf lists the likeliest other clusters of each point, each with its probability.
func rivalsOf(r *clustering.Result, shown []int) (all [][]float64) {
	if r.Probabilities == nil || len(r.Samples) == 0 {
		return nil
	}
	for _, i := range shown {
		row, clusters := r.Probabilities[i], []int{}
		for k, p := range row {
			if k != clustering.ColumnOf(r.Labels[i], r.K) && p >= leastRival {
				clusters = append(clusters, k)
			}
		}
		slices.SortStableFunc(clusters, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
		rivals := []float64{}
		for _, k := range clusters[:min(len(clusters), exploredRivals)] {
			rivals = append(rivals, float64(k), math.Round(row[k]*1e4)/1e4)
		}
		all = append(all, rivals)
	}
	return all
}

func exploredLaw(law []posterior.KProb) []explorer.KProb {
	return Each(law, func(q posterior.KProb) explorer.KProb { return explorer.KProb(q) })
}

// addCoordinates adds the columns' cells, the principal components where the columns alone are no plane, and images.
func addCoordinates(p *explorer.Page, in *files.Input, shown []int) {
	if in.IsImages() {
		size := in.Height * in.Width
		p.Images = &explorer.Images{Height: in.Height, Width: in.Width}
		for _, i := range shown {
			p.Images.Pixels = append(p.Images.Pixels, in.X[i*size:(i+1)*size]...)
		}
	}
	most := exploredCells / len(shown)
	if len(in.Columns) > most {
		p.Notes = append(p.Notes, fmt.Sprintf("The first %d of %d columns are shown.", most, len(in.Columns)))
	}
	p.Heads = slices.Clone(in.Columns[:min(len(in.Columns), most)])
	p.Cells = make([][]string, len(p.Heads))
	for _, i := range shown {
		for j, cell := range in.Cells(i)[:len(p.Heads)] {
			p.Cells[j] = append(p.Cells[j], cell)
		}
	}
	if len(p.Heads) == 2 && in.IsPlain() {
		return
	}
	p.Plane = PickPairs(PlaneOf(in), shown)
}

// addClusterings adds the most probable sampled clusterings, the best with each K among all that were drawn, and how
// often two points were together.
func addClusterings(p *explorer.Page, r *clustering.Result, shown []int) {
	if len(r.Samples) == 0 {
		return
	}
	estimate, members := r.Labels, indices(len(shown)) // of the page
	places := shown                                    // of the members among a sample's labels
	if r.Subset != nil {
		estimate, places = Pick(r.Labels, r.Subset.Points), indices(len(r.Subset.Points))
		for _, i := range r.Subset.Points {
			at, _ := slices.BinarySearch(shown, i) // all are shown
			p.Members = append(p.Members, at)
		}
		members = p.Members
	}
	most := min(exploredClusterings, max(2, exploredLabels/len(members)))
	met := map[int]bool{}
	for i, s := range r.Samples {
		p.Drawn += s.Count
		k := metrics.Clusters(s.Labels)
		if i >= most && met[k] {
			continue
		}
		met[k] = true
		labels := posterior.Rename(s.Labels, estimate, int32(p.K))
		p.Clusterings = append(p.Clusterings,
			explorer.Clustering{Labels: Pick(labels, places), K: k, LogProb: s.LogProb, Count: s.Count})
	}
	if left := len(r.Samples) - len(p.Clusterings); left > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("Of %d different clusterings that were drawn the %d most probable are "+
			"shown, and the best with each other K.", len(r.Samples), most))
	}
	p.Together = togetherness(p, r, members, places)
}

// togetherness is how often two points shared a cluster in the samples, for exploredPairs points at most: evenly spread
// over the clusters of the estimate, in each the surest first. members are the sampled points of the page, places
// theirs among a sample's labels.
func togetherness(p *explorer.Page, r *clustering.Result, members, places []int) *explorer.Together {
	order := indices(len(members))
	slices.SortStableFunc(order, func(a, b int) int {
		a, b = members[a], members[b]
		return cmp.Or(cmp.Compare(p.Labels[a], p.Labels[b]), cmp.Compare(p.Probability[b], p.Probability[a]))
	})
	t := &explorer.Together{}
	side := min(len(order), exploredPairs)
	order = Pick(order, Spread(len(order), side))
	t.Points = Pick(members, order)
	at := Pick(places, order)
	var samples [][]int32
	for _, s := range r.Samples {
		labels := Pick(s.Labels, at)
		for range s.Count {
			samples = append(samples, labels)
		}
	}
	shares := posterior.CoClustering(samples)
	for i := range side {
		for j := range side {
			t.Share = append(t.Share, shares.At(i, j))
		}
	}
	return t
}
