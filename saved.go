package gfncp

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
)

const (
	savedFormat  = "gfncp clustering"
	savedVersion = 2 // 1 had clusterings by exact sampling in place of those of tables
	saveAnew     = "write it anew with gfncp cluster --save"
)

// Saved is a clustering in a file: what Predict needs, and which model it is of.
type Saved struct {
	Model   string    // the name that the model was opened by, or MixtureModel
	Weights string    // SHA-256 of its weights (models.Params.SHA256); empty without a model
	Columns Columns   // where the points came from
	Fitted  *Fitted   // by a model; nil without one
	Table   *TableFit // by ClusterTable; nil of a model's clustering
}

// Len is the number of points that were clustered.
func (s *Saved) Len() int {
	if s.Table != nil {
		return s.Table.Rows
	}
	return len(s.Fitted.Labels)
}

// Columns says how points came from the columns of a file.
type Columns struct {
	Names    []string          // of the columns; nil for images
	Origin   []float64         // [D] what was taken off them before they became float32; nil for nothing
	Encoding *tabular.Encoding // by which points were made of them; nil if they are the coordinates
}

// savedFile is the JSON of a saved clustering. SHA256 is that of Clustering without spaces between its parts.
type savedFile struct {
	Format     string          `json:"format"`
	Version    int             `json:"version"`
	SHA256     string          `json:"sha256"`
	Clustering json.RawMessage `json:"clustering"`
}

// savedClustering are the fields of Saved; points are little-endian float32 in base64, row by row.
type savedClustering struct {
	Model   string               `json:"model"`
	Weights string               `json:"weights_sha256,omitempty"`
	Columns []string             `json:"columns,omitempty"`
	Origin  []float64            `json:"origin,omitempty"`
	Encoded *tabular.Encoding    `json:"encoding,omitempty"`
	Dim     int                  `json:"dim,omitempty"`
	Points  []byte               `json:"points,omitempty"`
	Center  []float32            `json:"center,omitempty"`
	Factor  float64              `json:"factor,omitempty"`
	Alpha   string               `json:"alpha,omitempty"`
	Labels  []int32              `json:"labels,omitempty"`
	Samples []posterior.Distinct `json:"samples,omitempty"`
	View    *tabular.View        `json:"view,omitempty"`
	Table   *TableFit            `json:"table,omitempty"`
	Exact   json.RawMessage      `json:"exact,omitempty"` // of version 1
}

// Save writes a clustering by this model as one JSON file, packed if the name ends in .gz, whole or not at all. Faults
// of the path are *Error.
func (m *Model) Save(path string, f *Fitted, columns Columns) error {
	text, err := m.Encode(f, columns)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return writeSaved(path, text)
}

// SaveTable writes a clustering of a table as Save does one of a model.
func SaveTable(path string, f *TableFit) error {
	text, err := EncodeTable(f)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return writeSaved(path, text)
}

// EncodeTable returns what SaveTable writes, not packed.
func EncodeTable(f *TableFit) ([]byte, error) {
	return encodeSaved(savedClustering{Model: MixtureModel, Columns: f.Names(), Table: f})
}

// Encode returns what Save writes, not packed.
func (m *Model) Encode(f *Fitted, columns Columns) ([]byte, error) {
	points, err := binary.Append(nil, binary.LittleEndian, f.X)
	if err != nil {
		return nil, err
	}
	return encodeSaved(savedClustering{
		Model: m.name, Weights: m.Weights(), Dim: f.D,
		Columns: columns.Names, Origin: columns.Origin, Encoded: columns.Encoding, Points: points,
		Center: f.Center, Factor: f.Factor, Alpha: f.Alpha, Labels: f.Labels, Samples: f.Samples,
		View: f.View,
	})
}

func encodeSaved(c savedClustering) ([]byte, error) {
	content, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	file, err := json.Marshal(savedFile{
		Format: savedFormat, Version: savedVersion, SHA256: digest(content), Clustering: content,
	})
	return append(file, '\n'), err
}

func writeSaved(path string, text []byte) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		if !strings.HasSuffix(path, ".gz") {
			_, err := w.Write(text)
			return err
		}
		packed := gzip.NewWriter(w)
		_, err := packed.Write(text)
		return errors.Join(err, packed.Close())
	})
}

// ReadSaved reads what Save wrote. A file that is missing, damaged, foreign, or of a newer version is an *Error.
func ReadSaved(path string) (*Saved, error) {
	var file savedFile
	err := fileio.WithFile(path, func(r *bufio.Reader) error { return json.NewDecoder(r).Decode(&file) })
	return file.open(path, err)
}

// DecodeSaved is ReadSaved of what Encode returned; faults name it by name.
func DecodeSaved(name string, text []byte) (*Saved, error) {
	var file savedFile
	err := json.Unmarshal(text, &file)
	return file.open(name, err)
}

// open checks what was read of a file, with err if that failed, and takes it apart.
func (file savedFile) open(path string, err error) (*Saved, error) {
	switch fault := new(usererr.Error); {
	case errors.As(err, &fault):
		return nil, err
	case err != nil || file.Format != savedFormat:
		return nil, &usererr.Error{Path: path, Msg: "is no saved clustering, or cut short", Hint: saveAnew, Err: err}
	case file.Version < 1 || file.Version > savedVersion:
		return nil, usererr.File(path, 0, "use the program that wrote it, or "+saveAnew,
			"has version %d of the format, but this program reads %d", file.Version, savedVersion)
	}
	var content savedClustering
	compact := new(bytes.Buffer)
	if json.Compact(compact, file.Clustering) != nil || digest(compact.Bytes()) != file.SHA256 ||
		json.Unmarshal(file.Clustering, &content) != nil || len(content.Points)%4 != 0 {
		return nil, usererr.File(path, 0, "copy it anew, or "+saveAnew, "is damaged: its checksum is wrong")
	}
	s := &Saved{
		Model: content.Model, Weights: content.Weights,
		Columns: Columns{content.Columns, content.Origin, content.Encoded},
	}
	if content.Exact != nil {
		return nil, usererr.File(path, 0, saveAnew, "is of an earlier version, by exact sampling, which is no more")
	}
	if s.Table = content.Table; s.Table != nil {
		if err := s.Table.Check(); err != nil {
			return nil, &usererr.Error{
				Path: path, Msg: "holds a clustering that this program cannot read", Hint: saveAnew, Err: err,
			}
		}
		return s, nil
	}
	s.Fitted = &Fitted{
		X: make([]float32, len(content.Points)/4), D: content.Dim, Labels: content.Labels, Samples: content.Samples,
		Center: content.Center, Factor: content.Factor, Alpha: content.Alpha, View: content.View,
	}
	for i := range s.Fitted.X {
		s.Fitted.X[i] = math.Float32frombits(binary.LittleEndian.Uint32(content.Points[4*i:]))
	}
	return s, nil
}

// Open opens the model that made the clustering, by its own name or, if it is not "", by another. A model with other
// weights is an *Error, and so is a clustering without one: it predicts by itself (Saved.Table).
func (s *Saved) Open(name string, options ...Option) (*Model, error) {
	if s.Table != nil {
		return nil, usererr.New("name none", "the clustering was made without a model, and needs none to predict")
	}
	if name == "" {
		name = s.Model
	}
	m, err := Open(name, options...)
	if err != nil {
		return nil, err
	}
	if err := s.CheckModel(m); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// CheckModel refuses another model than the one that made the clustering, with an *Error.
func (s *Saved) CheckModel(m *Model) error {
	if m.Weights() == s.Weights {
		return nil
	}
	return usererr.New("open the model that made it, or cluster anew",
		"the clustering was made by other weights than those of model %s", m.name)
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
