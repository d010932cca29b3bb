package sheet

import (
	"cmp"
	"fmt"
	"image"
	"maps"
	"slices"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

// Limits of a sheet. They keep 10,000 images readable and the picture below 4000 × 20,000 pixels.
const (
	maxBlockImages   = 120 // images shown of a cluster of the point estimate; fewer when the picture would be too high
	maxRowImages     = 24  // images shown of a cluster of an alternative
	maxSheetClusters = 40  // clusters shown of one clustering
	maxAlternatives  = 3
	maxDoubtful      = 24 // images listed as the most uncertain
	maxKBars         = 12 // values of K with a bar
	maxSheetNotes    = 12
)

// sheetPlan says what a sheet shows, in which order and words; both formats draw the same plan.
type sheetPlan struct {
	Point    grouping
	Others   []grouping // the first alternatives
	Unsure   []int      // uncertain images, the most uncertain first
	Bars     []KProb    // by K
	moreBars KProb      // how many values of K have no bar, and their probability
}

// grouping is one clustering on the sheet.
type grouping struct {
	Heading    string  // of an alternative
	K          int     // clusters, those not shown included
	moved      int     // images grouped differently from the point estimate
	Blocks     []block // the clusters shown
	moreImages int     // images of the clusters not shown
}

// block is one cluster.
type block struct {
	label      int32   // cluster of the point estimate: its own or the one that it is matched with; -1: none
	Details    string  // beside its name
	what       string  // its marked images are: "uncertain" in the point estimate, "differ" in an alternative
	images     int     // how many it has
	mean       float64 // of their probabilities
	plain      []tile  // all its images by falling probability: those that are not marked
	special    []tile  // and those that are
	Tiles      []tile  // those shown, of both
	moreMarked int     // marked images that are not shown
}

// tile is one image shown. Marked means uncertain in the point estimate, grouped differently in an alternative.
type tile struct {
	Image  int
	Marked bool
}

func (b *block) more() int { return b.images - len(b.Tiles) }

func (s *Sheet) uncertain(i int) bool { return s.Probability[i] < canvas.UncertainBelow }

// plan chooses what to show, with at most maxBlockImages images a cluster.
func (s *Sheet) plan() *sheetPlan {
	p := &sheetPlan{Point: s.group(s.Labels, func(label int32) int32 { return label }, s.uncertain)}
	classes := s.classTexts()
	for i := range p.Point.Blocks {
		b := &p.Point.Blocks[i]
		b.Details, b.what = details(b, classes), "uncertain"
	}
	for rank, a := range s.Alternatives[:min(len(s.Alternatives), maxAlternatives)] {
		match := matchClusters(a.Labels, s.Labels)
		moved := func(i int) bool { return match[a.Labels[i]] != s.Labels[i] }
		g := s.group(a.Labels, func(label int32) int32 { return match[label] }, moved)
		g.orderLike(&p.Point)
		g.Heading = fmt.Sprintf("%d · %s", rank+1, alternativeText(&a, &g))
		for i := range g.Blocks {
			g.Blocks[i].Details, g.Blocks[i].what = text.Number(g.Blocks[i].images), "differ"
		}
		p.Others = append(p.Others, g)
	}
	for i := range s.Labels {
		if s.uncertain(i) {
			p.Unsure = append(p.Unsure, i)
		}
	}
	slices.SortStableFunc(p.Unsure, func(i, j int) int { return cmp.Compare(s.Probability[i], s.Probability[j]) })
	p.Bars, p.moreBars = chooseBars(s.KPosterior)
	p.cut(maxBlockImages)
	return p
}

// cut lets each cluster show at most limit images, in alternatives at most maxRowImages of them.
func (p *sheetPlan) cut(limit int) {
	for i := range p.Point.Blocks {
		p.Point.Blocks[i].cut(limit)
	}
	for _, g := range p.Others {
		for i := range g.Blocks {
			g.Blocks[i].cut(min(limit, maxRowImages))
		}
	}
}

// group lays out one clustering: the largest clusters, largest first; name gives their cluster of the point estimate.
func (s *Sheet) group(labels []int32, name func(int32) int32, marked func(int) bool) grouping {
	members := map[int32][]int{}
	var order []int32 // by first image, so that nothing depends on the order of the map
	g := grouping{}
	for i, label := range labels {
		if members[label] == nil {
			order = append(order, label)
		}
		members[label] = append(members[label], i)
		if marked(i) {
			g.moved++
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(len(members[b]), len(members[a])) })
	g.K = len(order)
	for rank, label := range order {
		if rank >= maxSheetClusters {
			g.moreImages += len(members[label])
			continue
		}
		b := s.block(members[label], marked)
		b.label = name(label)
		g.Blocks = append(g.Blocks, b)
	}
	return g
}

// orderLike puts the blocks in the order of their partners in point, so that the eye finds them; those without one come
// last.
func (g *grouping) orderLike(point *grouping) {
	rank := map[int32]int{}
	for i := range point.Blocks {
		rank[point.Blocks[i].label] = i - len(point.Blocks) // below the 0 of those that are not in point
	}
	slices.SortStableFunc(g.Blocks, func(a, b block) int { return cmp.Compare(rank[a.label], rank[b.label]) })
}

// block orders the images of a cluster by falling probability.
func (s *Sheet) block(members []int, marked func(int) bool) block {
	b := block{images: len(members)}
	for _, i := range members {
		b.mean += s.Probability[i] / float64(len(members))
		if marked(i) {
			b.special = append(b.special, tile{i, true})
		} else {
			b.plain = append(b.plain, tile{i, false})
		}
	}
	for _, t := range [][]tile{b.plain, b.special} {
		slices.SortStableFunc(t,
			func(a, b tile) int { return cmp.Compare(s.Probability[b.Image], s.Probability[a.Image]) })
	}
	return b
}

// cut shows at most limit images, the marked ones last. Marked images keep at least half of the room, the least
// probable of them; the others shown are the most probable ones.
func (b *block) cut(limit int) {
	last := min(len(b.special), max((limit+1)/2, limit-len(b.plain)))
	first := min(len(b.plain), limit-last)
	b.Tiles = slices.Concat(b.plain[:first], b.special[len(b.special)-last:])
	b.moreMarked = len(b.special) - last
}

// matchClusters gives each cluster of a one cluster of b, or -1, one to one: greedily, the pair with the most shared
// images first (ties: the smaller labels). This is not always the assignment with the most shared images in total, but
// it never breaks up the largest agreement.
func matchClusters(a, b []int32) map[int32]int32 {
	type pair struct{ a, b int32 }
	shared := map[pair]int{}
	for i := range a {
		shared[pair{a[i], b[i]}]++
	}
	pairs := slices.SortedFunc(maps.Keys(shared), func(p, q pair) int {
		return cmp.Or(cmp.Compare(shared[q], shared[p]), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
	})
	match, taken := map[int32]int32{}, map[int32]bool{}
	for _, p := range pairs {
		if _, done := match[p.a]; !done && !taken[p.b] {
			match[p.a], taken[p.b] = p.b, true
		}
	}
	for _, label := range a {
		if _, done := match[label]; !done {
			match[label] = -1
		}
	}
	return match
}

// chooseBars keeps the most probable values of K, in order of K, and sums up the rest.
func chooseBars(posterior []KProb) (bars []KProb, more KProb) {
	bars = slices.Clone(posterior)
	slices.SortStableFunc(bars, func(a, b KProb) int { return cmp.Or(cmp.Compare(b.P, a.P), cmp.Compare(a.K, b.K)) })
	for len(bars) > maxKBars {
		last := len(bars) - 1
		more.K, more.P = more.K+1, more.P+bars[last].P
		bars = bars[:last]
	}
	slices.SortStableFunc(bars, func(a, b KProb) int { return cmp.Compare(a.K, b.K) })
	return bars, more
}

// picture returns image i with the given size.
func (s *Sheet) picture(i int, size image.Point) *image.Gray {
	return canvas.TilePicture(s.Pixels[i*s.Height*s.Width:(i+1)*s.Height*s.Width], s.Height, s.Width, size)
}
