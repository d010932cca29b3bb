package gfncp

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

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
	Samples    []savedSample     `json:"samples"`
}

// savedSample is an ExactSample.
type savedSample struct {
	Labels []int32 `json:"labels"`
	Count  int     `json:"count"`
	Law    int     `json:"law"` // its place
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
		out.Samples = append(out.Samples, savedSample{s.Labels, s.Count, out.place(law)})
	}
	return encodeSaved(savedClustering{
		Model: ModelExact, Columns: columns.Names, Origin: columns.Origin, Encoded: columns.Encoding, Labels: f.Labels,
		Exact: out,
	})
}

// place is that of a law among Laws; a new one goes to the end.
func (e *savedExact) place(law []byte) int {
	for i, known := range e.Laws {
		if bytes.Equal(known, law) {
			return i
		}
	}
	e.Laws = append(e.Laws, law)
	return len(e.Laws) - 1
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
		f.Samples = append(f.Samples, clustering.ExactSample{
			State: posterior.State{Labels: s.Labels, Model: laws[s.Law]}, Count: s.Count,
		})
	}
	return f, f.Check()
}
