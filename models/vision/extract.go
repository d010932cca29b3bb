package vision

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Extraction computes the features of the images of a folder, class after class. Its parts are files in a folder of their
// own, so that a run that was interrupted goes on where it was. In memory are at most three batches of images, and at the
// end all features.
type Extraction struct {
	Network *Network
	Weights string // the SHA-256 of the network's weights
	Folder  string // whose classes they are, for the pool's name
	Classes []Class
	Batch   int    // images at a time, at least 1
	Parts   string // the folder of the parts; made by Run

	// SkipBroken leaves out images that cannot be decoded; otherwise the first one is an error.
	SkipBroken bool
	// Raw leaves features as the network gives them; otherwise each is divided by its Euclidean norm.
	Raw bool
	// Progress is told after each batch how many images are done; nil: nobody is.
	Progress func(done, total int)
}

// Summary is what an extraction did besides the features.
type Summary struct {
	Reused  int      // classes whose part was there
	Skipped []string // broken images that were left out
}

// Run returns the features as a pool of vectors [M,W], labelled by class, in the order of Classes and their images. The
// parts stay until Clean. If ctx ends, the error wraps ctx.Err(), and the parts of the classes that were complete are kept.
func (e *Extraction) Run(ctx context.Context) (*data.Pool, *Summary, error) {
	parts, err := e.openParts()
	if err != nil {
		return nil, nil, err
	}
	summary := &Summary{}
	pool := &data.Pool{Name: e.Folder, D: e.Network.Config.Width, Labels: []int32{}}
	done, total := 0, e.Images()
	for label, c := range e.Classes {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("features of %s: %w", c.Name, err)
		}
		part, err := parts.load(c)
		switch {
		case err != nil:
			return nil, nil, err
		case part != nil && (e.SkipBroken || len(part.skipped) == 0):
			summary.Reused++
			e.progress(done+len(c.Images), total)
		default:
			if part, err = e.class(ctx, c, done, total); err != nil {
				return nil, nil, err
			}
			if err := parts.save(c, part); err != nil {
				return nil, nil, err
			}
		}
		done += len(c.Images)
		summary.Skipped = append(summary.Skipped, part.skipped...)
		pool.Classes = append(pool.Classes, c.Name)
		pool.X = append(pool.X, part.features...)
		pool.Labels = append(pool.Labels, slices.Repeat([]int32{int32(label)}, len(part.features)/pool.D)...)
	}
	if len(pool.X) == 0 {
		return nil, nil, usererr.File(e.Folder, 0, "check the images", "none of the images could be decoded (%d)", total)
	}
	if !e.Raw {
		pool.Normalize()
	}
	return pool, summary, pool.Check()
}

// Images is the number of images of all classes.
func (e *Extraction) Images() int {
	total := 0
	for _, c := range e.Classes {
		total += len(c.Images)
	}
	return total
}

func (e *Extraction) progress(done, total int) {
	if e.Progress != nil {
		e.Progress(done, total)
	}
}

// class computes the features of one class. done images of total came before it.
func (e *Extraction) class(ctx context.Context, c Class, done, total int) (*part, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the goroutine of batches
	p := &part{}
	for b := range e.batches(ctx, c.Images) {
		if b.err != nil {
			return nil, b.err
		}
		if len(b.values) > 0 {
			features, err := e.Network.Features(b.values, e.Batch)
			if err != nil {
				return nil, err
			}
			if i := slices.IndexFunc(features, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }); i >= 0 {
				return nil, fmt.Errorf("%s: its features are not finite", b.kept[i/e.Network.Config.Width])
			}
			p.features = append(p.features, features...)
		}
		p.skipped = append(p.skipped, b.skipped...)
		done += b.images
		e.progress(done, total)
	}
	if len(p.features)/e.Network.Config.Width+len(p.skipped) < len(c.Images) {
		return nil, fmt.Errorf("features of %s: %w", c.Name, ctx.Err())
	}
	return p, nil
}

// batch is a batch of prepared images.
type batch struct {
	images        int       // that it was made from
	values        []float32 // [B,3,S,S]
	kept, skipped []string
	err           error
}

// batches prepares the images, a batch while the network is busy with the one before it. The channel is closed at the end,
// after an error, and when ctx ends.
func (e *Extraction) batches(ctx context.Context, images []string) <-chan batch {
	out := make(chan batch)
	go func() {
		defer close(out)
		for some := range slices.Chunk(images, e.Batch) {
			b := e.prepare(some)
			select {
			case out <- b:
			case <-ctx.Done():
				return
			}
			if b.err != nil || ctx.Err() != nil {
				return
			}
		}
	}()
	return out
}

// prepare reads and prepares images on all cores.
func (e *Extraction) prepare(paths []string) batch {
	values, errs := make([][]float32, len(paths)), make([]error, len(paths))
	next := make(chan int)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(paths)) {
		group.Go(func() {
			for i := range next {
				values[i], errs[i] = ReadPicture(paths[i], e.Network.Config.ImageSize)
			}
		})
	}
	for i := range paths {
		next <- i
	}
	close(next)
	group.Wait()
	b := batch{images: len(paths)}
	for i, path := range paths {
		switch {
		case errs[i] == nil:
			b.kept = append(b.kept, path)
			b.values = append(b.values, values[i]...)
		case e.SkipBroken && errors.Is(errs[i], ErrBroken):
			b.skipped = append(b.skipped, path)
		default:
			return batch{err: errs[i]}
		}
	}
	return b
}
