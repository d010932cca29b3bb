package ccp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/partition"
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
	labels   []int32 // [N]; −1 while unassigned
	left     []int32 // the unassigned points; in a round without the anchor
	anchor   int32
	clusters int
	found    []float32 // G [W]
	sum      []float64 // buffer of mean
	random   bool      // draw latents and decisions, or take means and thresholds
	rng      *rand.Rand
}

// run finds the clusters of all sets; where random is false, only the anchors are drawn.
func (c *Clusterer) run(rng *rand.Rand, x []float32, b, n int, random bool) ([][]int32, error) {
	labels := make([][]int32, 0, b)
	size := n * c.method.net.Dim
	most := max(1, min(setsAtOnce, pairsAtOnce/n))
	for from := 0; from < b; from += most {
		to := min(from+most, b)
		group, err := c.sequences(rng, x[from*size:to*size], n, random)
		if err != nil {
			return nil, err
		}
		if err := c.rounds(group); err != nil {
			return nil, fmt.Errorf("ccp: cluster: %w", err)
		}
		for _, s := range group {
			partition.Renumber(s.labels)
			labels = append(labels, s.labels)
		}
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
			labels:   slices.Repeat([]int32{-1}, n), left: partition.Singletons(n), found: make([]float32, w),
			sum: make([]float64, w), random: random, rng: split(rng),
		}
	}
	return group, nil
}

// rounds finds one cluster of each sequence a round, until every point is assigned. A finished sequence is dropped.
func (c *Clusterer) rounds(group []*sequence) error {
	for {
		var open []*sequence
		for _, s := range group {
			if len(s.left) > 0 {
				s.start()
			}
			if len(s.left) > 0 {
				open = append(open, s)
			}
		}
		if len(open) == 0 {
			return nil
		}
		joins, err := c.joins(open)
		if err != nil {
			return err
		}
		if err := c.assign(open, joins); err != nil {
			return err
		}
		group = open
	}
}

func (s *sequence) start() {
	at := s.rng.IntN(len(s.left))
	s.anchor = s.left[at]
	s.left = append(s.left[:at:at], s.left[at+1:]...)
	s.labels[s.anchor] = int32(s.clusters)
	s.clusters++
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
		total += len(s.left)
	}
	rows, count, width := c.Buckets.Slots(len(open)), c.Buckets.Rows(total), e+2*w
	row, noise := make([]float32, rows*width), make([]float32, rows*l)
	of, phi := make([]int32, 0, count), make([]float32, 0, count*w)
	for r, s := range open {
		in := row[r*width : (r+1)*width]
		copy(in, s.e[int(s.anchor)*e:(int(s.anchor)+1)*e])
		s.mean(in[e:e+w], s.u, s.left)
		copy(in[e+w:], s.found)
		if s.random {
			for i := range l {
				noise[r*l+i] = float32(s.rng.NormFloat64())
			}
		}
		for _, i := range s.left {
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

// assign decides who joins the new clusters and adds them to G.
func (c *Clusterer) assign(open []*sequence, logits []float32) error {
	w := c.method.peer.Width
	rows := c.Buckets.Slots(len(open))
	means := make([]float32, rows*w)
	for r, s := range open {
		count := len(s.left)
		members, err := s.decide(logits[:count])
		if err != nil {
			return err
		}
		logits = logits[count:]
		s.mean(means[r*w:(r+1)*w], s.h, members)
	}
	out, err := c.find(tensors.FromFlatDataAndDimensions(means, rows, w))
	if err != nil {
		return err
	}
	for r, s := range open {
		for j, v := range out[0][r*w : (r+1)*w] {
			s.found[j] += v
		}
	}
	return nil
}

// decide labels the points that join, takes them out of the unassigned ones and returns the cluster's points.
func (s *sequence) decide(logits []float32) ([]int32, error) {
	members, left := []int32{s.anchor}, s.left[:0]
	for j, i := range s.left {
		if l := logits[j]; l-l != 0 { // NaN or ±Inf
			return nil, fmt.Errorf("the logit of point %d is %v", i, l)
		}
		threshold := 0.5
		if s.random {
			threshold = s.rng.Float64()
		}
		if 1/(1+math.Exp(-float64(logits[j]))) > threshold {
			s.labels[i] = int32(s.clusters) - 1
			members = append(members, i)
		} else {
			left = append(left, i)
		}
	}
	s.left = left
	return members, nil
}
