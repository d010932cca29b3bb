package sources

import (
	"crypto/sha256"
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
	images, err := readPublished(d, folder, d.Files[split].Images, 16)
	if err != nil {
		return nil, err
	}
	labels, err := readPublished(d, folder, d.Files[split].Labels, 8)
	if err != nil {
		return nil, err
	}
	p := &data.Pool{
		Name: d.Name + "/" + split, D: d.Height * d.Width, Height: d.Height, Width: d.Width, Classes: d.Classes,
	}
	p.X, p.Labels = make([]float32, len(images)), make([]int32, len(labels))
	for i, v := range images {
		p.X[i] = float32(v) / 255
	}
	for i, v := range labels {
		p.Labels[i] = int32(v)
	}
	return p, p.Check()
}

// readPublished returns the bytes of a published file in the IDX format behind its header.
func readPublished(d data.Descriptor, folder string, f data.File, header int) ([]byte, error) {
	status, content, err := inspect(folder, f)
	if err == nil {
		err = faultOf(d, status)
	}
	return content[min(header, len(content)):], err
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
	case d.Derive != nil && d.From == nil:
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

// inspect finds a file in the folder and returns its state, and its unpacked content if the state is OK.
func inspect(folder string, f data.File) (FileStatus, []byte, error) {
	for _, path := range places(folder, f) {
		raw, err := fileio.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return FileStatus{}, nil, err
		}
		content, fault, err := check(f, raw)
		_ = raw.Close()
		switch {
		case err != nil:
			return FileStatus{}, nil, fmt.Errorf("read %s: %w", path, fileio.WithoutPath(err))
		case fault != "":
			return FileStatus{File: f.Name, Path: path, State: Damaged, Fault: fault}, nil, nil
		}
		return FileStatus{File: f.Name, Path: path, State: OK}, content, nil
	}
	return FileStatus{File: f.Name, Path: places(folder, f)[0], State: Missing}, nil, nil
}

// check unpacks the bytes of r and compares them with the published content. It returns the content, or a fault in
// words. err is an error of reading r.
func check(f data.File, r io.Reader) (content []byte, fault string, err error) {
	unpacked, _, err := fileio.Unpack(r)
	if err == nil {
		content, err = io.ReadAll(io.LimitReader(unpacked, f.Size+1))
	}
	switch {
	case fileio.IsPackFault(err):
		return nil, "the gzip data is damaged or cut short", nil
	case err != nil:
		return nil, "", err
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(content)); sum != f.SHA256 {
		return nil, fmt.Sprintf("its content has SHA-256 %s…, the published one %s…", sum[:12], f.SHA256[:12]), nil
	}
	return content, "", nil
}
