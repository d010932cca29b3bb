package vision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Extraction computes the features of the images of a folder, class after class. Its parts are files in a folder of
// their own, so that a run that was interrupted goes on where it was. In memory are at most three batches of images,
// and at the end all features.
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
// parts stay until Clean. If ctx ends, the error wraps ctx.Err(), and the parts of the classes that were complete are
// kept.
func (e *Extraction) Run(ctx context.Context) (*data.Pool, *Summary, error) {
	if e.Progress == nil {
		e.Progress = func(int, int) {}
	}
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
			e.Progress(done+len(c.Images), total)
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
		return nil, nil, usererr.File(e.Folder, 0, "check the images",
			"none of the images could be decoded (%d)", total)
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
		e.Progress(done, total)
	}
	return p, nil
}

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

// manifestName is the file that says what the parts in a folder belong to.
const manifestName = "manifest.json"

// manifest are the settings that features depend on, images apart; parts are used again under the same ones only.
type manifest struct {
	Format  string `json:"format"`
	Weights string `json:"weights_sha256"`
	Images  string `json:"images"`  // the folder, absolute
	Backend string `json:"backend"` // results differ in the last digits
}

// partsFormat changes with everything that changes features: preparation and network.
const partsFormat = "gfncp features 1"

// part is one class's result: raw features [n,W] and the broken images that were left out.
type part struct {
	features []float32
	skipped  []string
}

// openParts makes the folder of parts with its manifest, or checks that an existing one is of this extraction.
func (e *Extraction) openParts() error {
	folder, err := filepath.Abs(e.Folder)
	if err != nil {
		return fmt.Errorf("find %s: %w", e.Folder, err)
	}
	want := manifest{Format: partsFormat, Weights: e.Weights, Images: folder, Backend: e.Network.backend.Name()}
	raw, err := os.ReadFile(filepath.Join(e.Parts, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return e.makeParts(want)
	}
	if err != nil {
		return fmt.Errorf("read the parts of an earlier run: %w", err)
	}
	var got manifest
	if err := json.Unmarshal(raw, &got); err != nil || got != want {
		return usererr.File(e.Parts, 0, "remove the folder, or choose another --out",
			"holds parts of a run with other weights, images, backend or another version of gfncp")
	}
	return nil
}

// makeParts makes a new folder of parts. One that is there already must be empty.
func (e *Extraction) makeParts(m manifest) error {
	if err := os.MkdirAll(e.Parts, 0o755); err != nil {
		return usererr.File(e.Parts, 0, "choose another --out", "the folder for parts cannot be made: %v", err)
	}
	entries, err := os.ReadDir(e.Parts)
	if err != nil {
		return fmt.Errorf("read the folder for parts: %w", err)
	}
	if len(entries) > 0 {
		return usererr.File(e.Parts, 0, "move it away, or choose another --out",
			"the folder is needed for parts, but holds other files")
	}
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(e.Parts, manifestName), append(raw, '\n'), atomicfile.DefaultPerm)
}

// partEnding ends the name of a part's file, which begins with the class's.
const partEnding = ".safetensors"

func (e *Extraction) path(c Class) string { return filepath.Join(e.Parts, c.Name+partEnding) }

// The names in a part's file.
const (
	partTensor  = "features"
	partImages  = "images_sha256"
	partSkipped = "skipped"
)

// load returns the part of a class, or nil if there is none of just these images.
func (e *Extraction) load(c Class) (*part, error) {
	path := e.path(c)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	file, err := safetensors.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if file.Metadata[partImages] != c.fingerprint {
		return nil, nil
	}
	damaged := usererr.File(path, 0, "remove it", "is no part of an extraction")
	p := &part{}
	t, ok := file.Tensor(partTensor)
	unread := json.Unmarshal([]byte(file.Metadata[partSkipped]), &p.skipped)
	if !ok || len(t.Shape) != 2 || t.Shape[1] != e.Network.Config.Width || unread != nil {
		return nil, damaged
	}
	if p.features, err = safetensors.Float32s(t); err != nil || t.Shape[0]+len(p.skipped) != len(c.Images) {
		return nil, damaged
	}
	return p, nil
}

func (e *Extraction) save(c Class, p *part) error {
	width := e.Network.Config.Width
	t, err := safetensors.FromFloat32s(partTensor, []int{len(p.features) / width, width}, p.features)
	if err != nil {
		return err
	}
	skipped, err := json.Marshal(p.skipped)
	if err != nil {
		return err
	}
	file := &safetensors.File{
		Metadata: map[string]string{partImages: c.fingerprint, partSkipped: string(skipped)},
		Tensors:  []safetensors.Tensor{t},
	}
	return atomicfile.Write(e.path(c), func(w io.Writer) error { return safetensors.Encode(w, file) })
}

// Clean removes the folder of parts, or its parts and manifest if something else is in it. Call it when the features
// have been written.
func (e *Extraction) Clean() error {
	entries, err := os.ReadDir(e.Parts)
	if err != nil {
		return fmt.Errorf("remove the parts: %w", err)
	}
	kept := 0
	for _, entry := range entries {
		if entry.Name() != manifestName && filepath.Ext(entry.Name()) != partEnding {
			kept++
			continue
		}
		if err := os.Remove(filepath.Join(e.Parts, entry.Name())); err != nil {
			return fmt.Errorf("remove a part: %w", err)
		}
	}
	if kept > 0 {
		return nil
	}
	return os.Remove(e.Parts)
}
