package gfncp

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
)

const (
	savedFormat  = "gfncp clustering"
	savedVersion = 3
	saveAnew     = "write it anew with gfncp cluster --save"
)

// savedFile is the JSON of a saved clustering. SHA256 is the hash of Clustering without spaces between its parts.
type savedFile struct {
	Format     string          `json:"format"`
	Version    int             `json:"version"`
	SHA256     string          `json:"sha256"`
	Clustering json.RawMessage `json:"clustering"`
}

// savedClustering is a Clustering as Predict needs it; points are little-endian float32 in base64, row by row.
type savedClustering struct {
	Model   string `json:"model"`
	Weights string `json:"weights_sha256,omitempty"`
	files.Axes
	Dim     int                  `json:"dim,omitempty"`
	Points  []byte               `json:"points,omitempty"`
	Center  []float32            `json:"center,omitempty"`
	Factor  float64              `json:"factor,omitempty"`
	Labels  []int32              `json:"labels,omitempty"`
	Samples []posterior.Distinct `json:"samples,omitempty"`
	Table   *clustering.TableFit `json:"table,omitempty"`
	Result  *Result              `json:"result,omitempty"` // without most numbers for single points
}

// Save writes the clustering as one JSON file, compressed if the name ends in .gz. The write is atomic. Faults of the
// path are *Error.
func (c *Clustering) Save(path string) error {
	text, err := c.Encode()
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
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

// Encode returns the JSON that Save writes, not compressed.
func (c *Clustering) Encode() ([]byte, error) {
	if err := c.given(); err != nil {
		return nil, err
	}
	saved := savedClustering{
		Model: c.name, Weights: c.weights, Axes: c.axes, Table: c.Table, Result: c.light(),
	}
	if f := c.Network; f != nil {
		points, err := binary.Append(nil, binary.LittleEndian, f.X)
		if err != nil {
			return nil, err
		}
		saved.Points, saved.Dim, saved.Center, saved.Factor = points, f.D, f.Center, f.Factor
		saved.Labels, saved.Samples = f.Labels, f.Samples
	}
	content, err := json.Marshal(saved)
	if err != nil {
		return nil, err
	}
	file, err := json.Marshal(savedFile{
		Format: savedFormat, Version: savedVersion, SHA256: digest(content), Clustering: content,
	})
	return append(file, '\n'), err
}

// light returns the result without the samples, and without values for single points except the labels.
func (c *Clustering) light() *Result {
	light := c.Result.Light()
	light.Samples, light.Subset = nil, nil
	return light
}

// Read reads a file of Clustering.Save. A file that is missing, damaged, foreign, or of another version is an *Error.
func Read(path string) (*Clustering, error) {
	text, err := fileio.ReadInput(path)
	if usererr.Is(err) {
		return nil, err
	}
	return decode(path, text, err)
}

// Decode decodes the JSON of Clustering.Encode. Errors are as for Read, with name in place of the path.
func Decode(name string, text []byte) (*Clustering, error) { return decode(name, text, nil) }

func decode(path string, text []byte, err error) (*Clustering, error) {
	var file savedFile
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	switch {
	case err != nil || file.Format != savedFormat:
		return nil, &Error{Path: path, Msg: "is no saved clustering, or cut short", Hint: saveAnew, Err: err}
	case file.Version != savedVersion:
		return nil, usererr.File(path, 0, "use the program that wrote it, or "+saveAnew,
			"has version %d of the format, but this program reads %d", file.Version, savedVersion)
	}
	var content savedClustering
	compact := new(bytes.Buffer)
	if json.Compact(compact, file.Clustering) != nil || digest(compact.Bytes()) != file.SHA256 ||
		json.Unmarshal(file.Clustering, &content) != nil || len(content.Points)%4 != 0 {
		return nil, usererr.File(path, 0, "copy it anew, or "+saveAnew, "is damaged: its checksum is wrong")
	}
	c, err := content.clustering()
	if err != nil {
		return nil, usererr.File(path, 0, saveAnew, "holds a clustering that this program cannot read").Because(err)
	}
	return c, nil
}

// clustering returns the Clustering of a saved file. It returns an error for parts that do not fit together.
func (s *savedClustering) clustering() (*Clustering, error) {
	c := &Clustering{Result: s.Result, name: s.Model, weights: s.Weights, axes: s.Axes}
	if c.Result == nil {
		return nil, errors.New("it has no result")
	}
	if c.Table = s.Table; c.Table != nil {
		return c, c.Table.Check()
	}
	x := make([]float32, len(s.Points)/4)
	if _, err := binary.Decode(s.Points, binary.LittleEndian, x); err != nil {
		return nil, err
	}
	c.Network = &clustering.NetworkFit{
		X: x, D: s.Dim, Labels: s.Labels, Samples: s.Samples, Center: s.Center, Factor: s.Factor,
	}
	c.Samples = s.Samples
	return c, c.Network.Check()
}

func digest(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }
