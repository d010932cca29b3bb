package vision

import (
	"context"
	"errors"
	"fmt"
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
	if err := e.openParts(); err != nil {
		return nil, nil, err
	}
	summary := &Summary{}
	pool := &data.Pool{Name: e.Folder, D: e.Network.Config.Width, Labels: []int32{}}
	done, total := 0, e.Images()
	for label, c := range e.Classes {
		part, err := e.load(c)
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
			if err := e.save(c, part); err != nil {
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
	p, width := &part{}, e.Network.Config.Width
	images := slices.Collect(slices.Chunk(c.Images, e.Batch))
	ahead := make(chan batch, 1) // is prepared while the network is busy with the one before it
	prepare := func(i int) { ahead <- e.prepare(images[i]) }
	for i := range images {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("features of %s: %w", c.Name, err)
		}
		if i == 0 {
			go prepare(i)
		}
		b := <-ahead
		if b.err != nil {
			return nil, b.err
		}
		if i+1 < len(images) {
			go prepare(i + 1)
		}
		if len(b.values) > 0 {
			features, err := e.Network.Features(b.values, e.Batch)
			if err != nil {
				return nil, err
			}
			infinite := func(v float32) bool { return v-v != 0 } // or NaN
			if i := slices.IndexFunc(features, infinite); i >= 0 {
				return nil, fmt.Errorf("%s: its features are not finite", b.kept[i/width])
			}
			p.features = append(p.features, features...)
		}
		p.skipped = append(p.skipped, b.skipped...)
		done += len(images[i])
		e.progress(done, total)
	}
	return p, nil
}

// batch is a batch of prepared images.
type batch struct {
	values        []float32 // [B,3,S,S]
	kept, skipped []string
	err           error
}

// prepare reads and prepares images on all cores.
func (e *Extraction) prepare(paths []string) batch {
	values, errs := make([][]float32, len(paths)), make([]error, len(paths))
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i, path := range paths {
		room <- struct{}{}
		group.Go(func() {
			values[i], errs[i] = ReadPicture(path, e.Network.Config.ImageSize)
			<-room
		})
	}
	group.Wait()
	var b batch
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
