package gfncp

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/posterior"
)

// ModelExact is what a Saved clustering without a model names in its place.
const ModelExact = "exact"

// savedExact are the fields of an ExactFit but its labels.
type savedExact struct {
	Rotation tabular.Rotation `json:"rotation"`
	// Components [N,P] of the points are little-endian float64 in base64, row by row.
	Components []byte            `json:"components"`
	Alpha      float64           `json:"alpha"`
	AlphaMax   float64           `json:"alpha_max,omitempty"`
	Laws       []json.RawMessage `json:"laws"` // posterior.EncodeLaw, each once
	// Directions [Q,P] of samples, each once, are as Components; older files have none.
	Directions [][]byte      `json:"directions,omitempty"`
	Samples    []savedSample `json:"samples"`
}

// savedSample is an ExactSample.
type savedSample struct {
	Labels []int32 `json:"labels"`
	Count  int     `json:"count"`
	Law    int     `json:"law"` // its place
	// Directions is the place of those that the law sees, from 1; 0 if it sees the components themselves.
	Directions int `json:"directions,omitempty"`
	// Groups are the clusters that its clusters are pieces of; older files have none.
	Groups []int32 `json:"groups,omitempty"`
}

// SaveExactly writes a clustering by ClusterExactly, its Result.Exact, as one JSON file, packed if the name ends in
// .gz, whole or not at all. ReadSaved reads it. Faults of the path are *Error.
func SaveExactly(path string, f *ExactFit, columns Columns) error {
	text, err := EncodeExactly(f, columns)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return writeSaved(path, text)
}

// EncodeExactly returns what SaveExactly writes, not packed.
func EncodeExactly(f *ExactFit, columns Columns) ([]byte, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	components, err := binary.Append(nil, binary.LittleEndian, f.X)
	if err != nil {
		return nil, err
	}
	out := &savedExact{
		Rotation: f.Rotation, Components: components, Alpha: f.Prior.Alpha, AlphaMax: f.Prior.AlphaMax,
	}
	for _, s := range f.Samples {
		law, err := posterior.EncodeLaw(s.Model)
		if err != nil {
			return nil, err
		}
		sample := savedSample{Labels: s.Labels, Count: s.Count, Groups: s.Groups}
		if sample.Law, out.Laws = place(out.Laws, law); s.Directions != nil {
			text, err := binary.Append(nil, binary.LittleEndian, slices.Concat(s.Directions...))
			if err != nil {
				return nil, err
			}
			sample.Directions, out.Directions = place(out.Directions, text)
			sample.Directions++
		}
		out.Samples = append(out.Samples, sample)
	}
	return encodeSaved(savedClustering{
		Model: ModelExact, Columns: columns.Names, Origin: columns.Origin, Encoded: columns.Encoding, Labels: f.Labels,
		Exact: out,
	})
}

// place is that of a text among others; a new one goes to the end.
func place[T ~[]byte](all []T, text T) (int, []T) {
	for i, known := range all {
		if bytes.Equal(known, text) {
			return i, all
		}
	}
	return len(all), append(all, text)
}

// fit is the clustering with the point estimate labels.
func (e *savedExact) fit(labels []int32) (*ExactFit, error) {
	f := &ExactFit{
		Rotation: e.Rotation, X: make([]float64, len(e.Components)/8), Labels: labels,
		Prior: posterior.CRP{Alpha: e.Alpha, AlphaMax: e.AlphaMax},
	}
	if _, err := binary.Decode(e.Components, binary.LittleEndian, f.X); err != nil {
		return nil, err
	}
	laws := make([]posterior.Likelihood, len(e.Laws))
	for i, law := range e.Laws {
		var err error
		if laws[i], err = posterior.DecodeLaw(law); err != nil {
			return nil, err
		}
	}
	for _, s := range e.Samples {
		if s.Law < 0 || s.Law >= len(laws) {
			return nil, fmt.Errorf("law %d of %d", s.Law, len(laws))
		}
		state := posterior.State{Labels: s.Labels, Model: laws[s.Law]}
		var err error
		if state.Directions, err = e.directions(s.Directions); err != nil {
			return nil, err
		}
		f.Samples = append(f.Samples, clustering.ExactSample{State: state, Count: s.Count, Groups: s.Groups})
	}
	return f, f.Check()
}

// directions are those of a place, from 1; nil for 0.
func (e *savedExact) directions(at int) (all [][]float64, err error) {
	p := len(e.Rotation.Components)
	switch {
	case at == 0:
		return nil, nil
	case at < 0 || at > len(e.Directions) || p == 0 || len(e.Directions[at-1])%(8*p) != 0:
		return nil, fmt.Errorf("directions %d of %d, of %d components", at, len(e.Directions), p)
	}
	numbers := make([]float64, len(e.Directions[at-1])/8)
	if _, err := binary.Decode(e.Directions[at-1], binary.LittleEndian, numbers); err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(numbers, p)), nil
}
