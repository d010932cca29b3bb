package sources

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// allFiles are the files of a published data set, in a fixed order.
func allFiles(d data.Descriptor) []data.File {
	train, test := d.Files[data.SplitTrain], d.Files[data.SplitTest]
	return []data.File{train.Images, train.Labels, test.Images, test.Labels}
}

// loadImages reads a split of published images.
func loadImages(d data.Descriptor, folder, split string) (*data.Pool, error) {
	if split == data.SplitValid {
		p, err := loadImages(d, folder, data.SplitTrain)
		if err == nil {
			from := max(len(p.Labels)-data.ValidImages, 0)
			p.Name, p.X, p.Labels = d.Name+"/"+split, p.X[from*p.D:], p.Labels[from:]
		}
		return p, err
	}
	images, err := readArray(d, folder, d.Files[split].Images, 3)
	if err != nil {
		return nil, err
	}
	labels, err := readArray(d, folder, d.Files[split].Labels, 1)
	if err != nil {
		return nil, err
	}
	p := &data.Pool{
		Name: d.Name + "/" + split, X: make([]float32, len(images.values)),
		D: images.dims[1] * images.dims[2], Height: images.dims[1], Width: images.dims[2],
		Labels: make([]int32, len(labels.values)), Classes: d.Classes,
	}
	for i, v := range images.values {
		p.X[i] = float32(v) / 255
	}
	for i, v := range labels.values {
		p.Labels[i] = int32(v)
	}
	return p, p.Check()
}

// array is the content of an IDX file of unsigned bytes (LeCun, "The IDX file format"); the last dimension varies
// fastest.
type array struct {
	dims   []int
	values []byte
}

// readArray reads a published IDX file with the given number of dimensions.
func readArray(d data.Descriptor, folder string, f data.File, dims int) (a array, err error) {
	status, content, err := inspect(folder, f)
	if err == nil {
		err = faultOf(d, status)
	}
	if err != nil {
		return a, err
	}
	header := 4 + 4*dims
	if len(content) < header || !bytes.HasPrefix(content, []byte{0, 0, 8, byte(dims)}) {
		return a, fmt.Errorf("%s is not an IDX file of unsigned bytes in %d dimensions", status.Path, dims)
	}
	for at := 4; at < header; at += 4 {
		a.dims = append(a.dims, int(binary.BigEndian.Uint32(content[at:])))
	}
	a.values = content[header:]
	return a, nil
}

// faultOf returns the error of a file that is not OK, or nil.
func faultOf(d data.Descriptor, s FileStatus) error {
	e := usererr.File(s.Path, 0, "run gfncp data fetch "+d.Name, "")
	switch s.State {
	case OK:
		return nil
	case Damaged:
		e.Msg, e.Err = s.Fault, ErrDamaged
		e.Hint += " to replace it"
	default:
		e.Path, e.Err = "", ErrMissing
		e.Msg = fmt.Sprintf("%s is not there: no %s.gz, packed or not, in %s", d.Name, s.File, filepath.Dir(s.Path))
		e.Hint += fmt.Sprintf(", or set %s to the folder that holds %s/", DirEnv, d.Folder)
	}
	return e
}

// ErrMissing marks data that is not in the data folder.
var ErrMissing = errors.New("data is missing")

// ErrDamaged marks a file of a published data set whose content is not the published one.
var ErrDamaged = errors.New("data is damaged")

// State is the state of a file of a data set.
type State string

// The states of a file.
const (
	OK        State = "ok"        // it has the published content, or is a readable file of features
	Missing   State = "missing"   // it is not there
	Damaged   State = "damaged"   // it has other content than published, or other features than its name says
	Synthetic State = "synthetic" // there is no file: the data are computed
)

// FileStatus is the state of one file of a data set.
type FileStatus struct {
	File  string `json:"file"` // the published name, without .gz
	Path  string `json:"path"` // where it lies, or would lie if it is missing; empty if the data are computed
	State State  `json:"state"`
	Fault string `json:"fault,omitempty"` // the fault of a damaged file
}

// Verify reads every file of a data set, or of the data sets that it is derived from, in its sub-folder of dir, or of
// Dir() if dir is empty. It fails if the name is unknown, or if a file is there and cannot be read.
func Verify(name, dir string) ([]FileStatus, error) {
	d, err := data.DataSet(name)
	if err != nil {
		return nil, err
	}
	return verify(d, dir)
}

func verify(d data.Descriptor, dir string) (all []FileStatus, err error) {
	switch {
	case d.Make != nil:
		return []FileStatus{{File: d.Name, State: Synthetic}}, nil
	case d.Derive != nil:
		for _, name := range d.From {
			part, err := Verify(name, dir)
			if err != nil {
				return nil, err
			}
			all = append(all, part...)
		}
		return all, nil
	}
	folder, err := folderOf(d, dir)
	if err != nil {
		return nil, err
	}
	if !d.Published() {
		return verifyFeatures(d, folder)
	}
	for _, f := range allFiles(d) {
		status, _, err := inspect(folder, f)
		if err != nil {
			return nil, err
		}
		all = append(all, status)
	}
	return all, nil
}

// places are the paths at which a file may lie, the usual one first.
func places(folder string, f data.File) []string {
	plain := filepath.Join(folder, f.Name)
	return []string{plain + ".gz", plain}
}

// inspect finds a file in the folder and returns its state, and its unpacked content if the state is OK. A good file
// hides a damaged one beside it.
func inspect(folder string, f data.File) (FileStatus, []byte, error) {
	result := FileStatus{File: f.Name, Path: places(folder, f)[0], State: Missing}
	for _, path := range places(folder, f) {
		raw, err := fileio.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return result, nil, err
		}
		content, fault, err := check(f, raw)
		_ = raw.Close()
		if err != nil {
			return result, nil, fmt.Errorf("read %s: %w", path, fileio.WithoutPath(err))
		}
		if fault == "" {
			return FileStatus{File: f.Name, Path: path, State: OK}, content, nil
		}
		if result.State == Missing {
			result = FileStatus{File: f.Name, Path: path, State: Damaged, Fault: fault}
		}
	}
	return result, nil, nil
}

// check unpacks the bytes of r and compares them with the published content. It returns the content, or a fault in
// words. err is an error of reading r.
func check(f data.File, r io.Reader) (content []byte, fault string, err error) {
	unpacked, _, err := fileio.Unpack(r)
	if err == nil {
		content, err = io.ReadAll(io.LimitReader(unpacked, f.Size+1))
	}
	switch size := int64(len(content)); {
	case fileio.IsPackFault(err):
		return nil, "the gzip data is damaged or cut short", nil
	case err != nil:
		return nil, "", err
	case bytes.HasPrefix(bytes.TrimSpace(content[:min(len(content), 512)]), []byte("<")):
		return nil, "it is an HTML page, not the data", nil
	case size > f.Size:
		return nil, fmt.Sprintf("its content has more than the %d bytes of the published one", f.Size), nil
	case size < f.Size:
		return nil, fmt.Sprintf("its content has %d bytes, the published one %d", size, f.Size), nil
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(content)); sum != f.SHA256 {
		return nil, fmt.Sprintf("its content has SHA-256 %s…, the published one %s…", sum[:12], f.SHA256[:12]), nil
	}
	return content, "", nil
}
