package ccp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/models/peers"
)

const (
	pointsAtOnce = 4096  // points that one call embeds; it bounds the memory of the image encoder
	pairsAtOnce  = 32768 // pairs, or samples of pairs, that one call looks at, unless one set needs more
	setsAtOnce   = 64    // sets that go through the rounds together
)

// embedded are the embeddings of M points on the host: see points.
type embedded struct{ e, h, u, phi []float32 }

// sequence is one set while it is clustered.
type sequence struct {
	embedded
	anchor int32
	at     int       // the anchor's place among the points without a cluster
	others []int32   // those points without the anchor
	found  []float32 // G [W]
	sum    []float64 // buffer of mean
	random bool      // draw latents and decisions, or take means and thresholds
	rng    *rand.Rand
}

// run finds the clusters of all sets; where random is false, only the anchors are drawn.
func (c *Clusterer) run(rng *rand.Rand, x []float32, b, n int, random bool) (labels [][]int32, err error) {
	most := max(1, min(setsAtOnce, pairsAtOnce/n))
	for some := range slices.Chunk(x, most*n*c.method.net.Dim) {
		group, err := c.sequences(rng, some, n, random)
		if err != nil {
			return nil, err
		}
		found, err := peers.Rounds(len(group), n, n, func(left []peers.Left) ([][]bool, error) {
			return c.round(group, left)
		})
		if err != nil {
			return nil, fmt.Errorf("ccp: cluster: %w", err)
		}
		labels = append(labels, found...)
	}
	return labels, nil
}

// sequences embeds the sets x [·,N,D] and returns the start of each, with its own generator.
func (c *Clusterer) sequences(rng *rand.Rand, x []float32, n int, random bool) ([]*sequence, error) {
	all, err := c.Map(c.embed, x, pointsAtOnce, c.Buckets.Rows)
	if err != nil {
		return nil, err
	}
	e, w := c.method.net.Embed, c.method.peer.Width
	group := make([]*sequence, len(x)/(n*c.method.net.Dim))
	for i := range group {
		cut := func(values []float32, width int) []float32 { return values[i*n*width : (i+1)*n*width] }
		group[i] = &sequence{
			embedded: embedded{cut(all[0], e), cut(all[1], w), cut(all[2], w), cut(all[3], w)},
			found:    make([]float32, w), sum: make([]float64, w), random: random, rng: peers.SplitRand(rng),
		}
	}
	return group, nil
}

// round finds one cluster of each set with points left: it returns which of them join.
func (c *Clusterer) round(group []*sequence, left []peers.Left) ([][]bool, error) {
	open := make([]*sequence, len(left))
	for i, l := range left {
		open[i] = group[l.Set]
		open[i].start(l.Points)
	}
	logits, err := c.joins(open)
	if err != nil {
		return nil, err
	}
	return c.assign(open, logits)
}

// start draws the anchor from the points without a cluster.
func (s *sequence) start(points []int32) {
	s.at = s.rng.IntN(len(points))
	s.anchor, s.others = points[s.at], slices.Concat(points[:s.at], points[s.at+1:])
}

// mean writes the mean of values [N,W] over some points to dst [W].
func (s *sequence) mean(dst, values []float32, points []int32) {
	clear(s.sum)
	w := len(dst)
	for _, i := range points {
		for j, v := range values[int(i)*w : (int(i)+1)*w] {
			s.sum[j] += float64(v)
		}
	}
	for j, v := range s.sum {
		dst[j] = float32(v / float64(len(points)))
	}
}

// joins returns the logits of the unassigned points of each sequence, one after the other.
func (c *Clusterer) joins(open []*sequence) ([]float32, error) {
	e, w, l := c.method.net.Embed, c.method.peer.Width, c.method.peer.Latent
	total := 0
	for _, s := range open {
		total += len(s.others)
	}
	rows, count, width := c.Buckets.Slots(len(open)), c.Buckets.Rows(total), e+2*w
	row, noise := make([]float32, rows*width), make([]float32, rows*l)
	of, phi := make([]int32, 0, count), make([]float32, 0, count*w)
	for r, s := range open {
		in := row[r*width : (r+1)*width]
		copy(in, s.e[int(s.anchor)*e:(int(s.anchor)+1)*e])
		s.mean(in[e:e+w], s.u, s.others)
		copy(in[e+w:], s.found)
		if s.random {
			for i := range l {
				noise[r*l+i] = float32(s.rng.NormFloat64())
			}
		}
		for _, i := range s.others {
			of, phi = append(of, int32(r)), append(phi, s.phi[int(i)*w:(int(i)+1)*w]...)
		}
	}
	of = append(of, slices.Repeat([]int32{-1}, count-len(of))...)
	out, err := c.decide(
		tensors.FromFlatDataAndDimensions(row, rows, width), tensors.FromFlatDataAndDimensions(noise, rows, 1, l),
		tensors.FromFlatDataAndDimensions(of, count), tensors.FromFlatDataAndDimensions(phi[:count*w], count, w))
	if err != nil {
		return nil, err
	}
	return out[0][:total], nil
}

// assign decides who joins the new clusters, the anchors among them, and adds the clusters to G.
func (c *Clusterer) assign(open []*sequence, logits []float32) (joins [][]bool, err error) {
	w := c.method.peer.Width
	rows := c.Buckets.Slots(len(open))
	means := make([]float32, rows*w)
	for r, s := range open {
		count := len(s.others)
		joined, members, err := s.decide(logits[:count])
		if err != nil {
			return nil, err
		}
		logits, joins = logits[count:], append(joins, joined)
		s.mean(means[r*w:(r+1)*w], s.h, members)
	}
	out, err := c.find(tensors.FromFlatDataAndDimensions(means, rows, w))
	if err != nil {
		return nil, err
	}
	for r, s := range open {
		for j, v := range out[0][r*w : (r+1)*w] {
			s.found[j] += v
		}
	}
	return joins, nil
}

// decide reports for each point without a cluster whether it joins the anchor, and returns the new cluster's points.
func (s *sequence) decide(logits []float32) (joins []bool, members []int32, err error) {
	joins, members = make([]bool, len(logits)), []int32{s.anchor}
	for j, l := range logits {
		if l-l != 0 { // NaN or ±Inf
			return nil, nil, fmt.Errorf("the logit of point %d is %v", s.others[j], l)
		}
		threshold := 0.5
		if s.random {
			threshold = s.rng.Float64()
		}
		if joins[j] = 1/(1+math.Exp(-float64(l))) > threshold; joins[j] {
			members = append(members, s.others[j])
		}
	}
	return slices.Insert(joins, s.at, true), members, nil
}
