package sources

import (
	"bytes"
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
)

// allFiles are the files of a published data set, in a fixed order.
func allFiles(d data.Descriptor) []data.File {
	train, test := d.Files[data.SplitTrain], d.Files[data.SplitTest]
	return []data.File{train.Images, train.Labels, test.Images, test.Labels}
}

// loadImages reads a split of published images.
func loadImages(d data.Descriptor, dir, split string) (*data.Pool, error) {
	folder, err := folderOf(d, dir)
	if err != nil {
		return nil, err
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
		Name: d.Name + "/" + split, X: files.UnitPixels(images.Values),
		D: images.Dims[1] * images.Dims[2], Height: images.Dims[1], Width: images.Dims[2],
		Labels: make([]int32, len(labels.Values)), Classes: d.Classes,
	}
	for i, v := range labels.Values {
		p.Labels[i] = int32(v)
	}
	return p, p.Check()
}

// readArray reads a published IDX file with the given number of dimensions.
func readArray(d data.Descriptor, folder string, f data.File, dims int) (files.IDX, error) {
	status, content, err := inspect(folder, f)
	if err == nil {
		err = faultOf(d, folder, status)
	}
	if err != nil {
		return files.IDX{}, err
	}
	return files.ReadIDX(status.Path, bytes.NewReader(content), dims)
}

// faultOf is the error of a file that is not OK; nil if it is.
func faultOf(d data.Descriptor, folder string, s FileStatus) error {
	e := usererr.File(s.Path, 0, "run gfncp data fetch "+d.Name, "")
	switch s.State {
	case OK:
		return nil
	case Damaged:
		e.Msg, e.Err = s.Fault, ErrDamaged
		e.Hint += " to replace it"
	default:
		e.Path, e.Err = "", ErrMissing
		e.Msg = fmt.Sprintf("%s is not there: no %s.gz, packed or not, in %s", d.Name, s.File, folder)
		e.Hint += fmt.Sprintf(", or set %s to the folder that holds %s/", DirEnv, d.Folder)
	}
	return e
}
