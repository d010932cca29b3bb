package sampling

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

const (
	predictChunk = 2048 // points that are embedded together
	statesAtOnce = 64   // labellings whose clusters are evaluated together
	predictRows  = 2048 // candidates that are scored together; more if one point has more
)

// Predictor holds a set of N points under some labellings. For a further point it returns, under each labelling, the
// network's last decision,
//
//	p(c_new = k | c, x, x_new) ∝ exp(−E[c, c_new = k])
//
// for the clusters k of c, and for a new one. Every new point is decided as if it were the only one. Its embedding may
// depend on the set, but the set's embeddings do not depend on it, nor do new points depend on each other. A Predictor
// is safe for concurrent use while the network keeps its weights and the set does not change.
type Predictor struct {
	// Progress, if not nil, is called now and then with the points that are done and their number, one call at a time.
	Progress func(done, total int)

	net    *models.Network
	set    []float32 // [N,D]
	states []*state  // of each labelling
}

// NewPredictor embeds the set x [N,D], N ≥ 1, under labellings [S][N] of any numbers, until ctx ends.
func NewPredictor(ctx context.Context, net *models.Network, x []float32, labels [][]int32) (*Predictor, error) {
	n := len(x) / net.Config.Dim
	for i, l := range labels {
		if len(l) != n {
			return nil, fmt.Errorf("predict: labelling %d has %d labels for %d points: %w", i, len(l), n,
				metrics.ErrLength)
		}
	}
	sets, err := Encode(ctx, net, x, 1, n)
	if err != nil {
		return nil, fmt.Errorf("predict: %w", err)
	}
	e, err := sets.onHost()
	if err != nil {
		return nil, fmt.Errorf("predict: %w", err)
	}
	p := &Predictor{net: net, set: x}
	for _, l := range labels {
		canonical, _ := metrics.Canonical(l)
		st := newState(net.Config)
		for i, k := range canonical {
			st.join(int(k), e.h[i*st.w:(i+1)*st.w])
		}
		p.states = append(p.states, st)
	}
	clusters := scorer{net: net}
	for some := range slices.Chunk(p.states, statesAtOnce) {
		if err := clusters.clusters(some); err != nil {
			return nil, fmt.Errorf("predict: %w", err)
		}
	}
	return p, nil
}

// Each decides m further points until ctx ends. points returns points from..to−1, [to−from,D], in the network's units.
// visit gets, for each point, K+1 probabilities under each labelling: of its clusters in order of first appearance, and
// of a new one. It must not keep the slices. On the Go backend both are called from several goroutines. Energies that
// are not finite give metrics.ErrNotFinite.
func (p *Predictor) Each(
	ctx context.Context, m int, points func(from, to int) []float32, visit func(point int, probs [][]float64),
) error {
	workers := 1
	if p.net.OnGo() {
		workers = runtime.GOMAXPROCS(0)
	}
	size := max(1, min(predictChunk, (m+workers-1)/workers))
	var done int
	var hear sync.Mutex
	err := engine.SideBySide(ctx, p.net.Backend, m, size, func(from, to int) error {
		if err := p.chunk(ctx, points(from, to), from, visit); err != nil {
			return err
		}
		hear.Lock()
		defer hear.Unlock()
		if done += to - from; p.Progress != nil {
			p.Progress(done, m)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("predict: %w", err)
	}
	return nil
}

// chunk decides points x [·,D], numbered from first. It looks at ctx at each call of the network.
func (p *Predictor) chunk(
	ctx context.Context, x []float32, first int, visit func(point int, probs [][]float64),
) error {
	h, err := p.net.EncodeLast(ctx, x, p.set)
	if err != nil {
		return err
	}
	width, most := p.net.Config.Width(), 1
	for _, st := range p.states {
		most = max(most, st.k+1)
	}
	s, some, labellings := scorer{net: p.net}, max(1, predictRows/most), len(p.states)
	probs := make([][]float64, some*labellings) // point by point
	for rows := range slices.Chunk(h, some*width) {
		count := len(rows) / width
		row := func(i int) []float32 { return rows[i*width : (i+1)*width] }
		for l, st := range p.states {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.last(slices.Repeat([]*state{st}, count), row); err != nil {
				return err
			}
			for i := range count {
				at := &probs[i*labellings+l]
				*at = softmaxNeg(s.energies(i, st), (*at)[:0])
			}
		}
		for i := range count {
			visit(first, probs[i*labellings:(i+1)*labellings])
			first++
		}
	}
	return nil
}

// softmaxNeg appends softmax(−E) to probs.
func softmaxNeg(energies []float32, probs []float64) []float64 {
	lowest, total := slices.Min(energies), 0.0
	for _, e := range energies {
		p := math.Exp(float64(lowest) - float64(e))
		probs = append(probs, p)
		total += p
	}
	for k := range probs {
		probs[k] /= total
	}
	return probs
}
