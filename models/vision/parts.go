package vision

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
)

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
		return usererr.File(e.Parts, 0, "move it away, or choose another --out", "the folder is needed for parts, but holds other files")
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
	if !ok || len(t.Shape) != 2 || t.Shape[1] != e.Network.Config.Width || json.Unmarshal([]byte(file.Metadata[partSkipped]), &p.skipped) != nil {
		return nil, damaged
	}
	if p.features, err = safetensors.Float32s(t); err != nil || t.Shape[0]+len(p.skipped) != len(c.Images) {
		return nil, damaged
	}
	return p, nil
}

// save writes the part of a class.
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

// Clean removes the folder of parts, or its parts and manifest if something else is in it. Call it when the features have been
// written.
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
