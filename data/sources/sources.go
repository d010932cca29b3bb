package sources

import (
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
)

// DirEnv is the environment variable that names the data folder; see Dir.
const DirEnv = "GFNCP_DATA"

// Dir is the data folder: $GFNCP_DATA if that is set, else gfncp in the user's cache folder. It need not exist. Without
// either, as where no home folder is known, Dir returns a *usererr.Error.
func Dir() (string, error) {
	if dir := os.Getenv(DirEnv); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", &usererr.Error{Msg: "no cache folder for data is known", Hint: "set " + DirEnv + " to a folder", Err: err}
	}
	return filepath.Join(cache, "gfncp"), nil
}

// Load reads a split of a data set from the data folder; see LoadFrom.
func Load(name, split string) (*data.Pool, error) { return LoadFrom("", name, split) }

// LoadFrom reads a split, data.SplitTrain or data.SplitTest, of a data set from its sub-folder of dir, or of Dir() if
// dir is empty.
//
// Of published images the pixels are the published bytes divided by 255, the labels the published ones. Both files are
// checked against their published SHA-256. A missing file is a *usererr.Error that wraps ErrMissing, a damaged one
// wraps ErrDamaged.
//
// A feature set gives the vectors, brought to length 1, and the labels of the first half of its classes (training) or
// the second (test); see docs/your-data.md for the file. A stand-in is computed.
func LoadFrom(dir, name, split string) (*data.Pool, error) {
	d, err := data.DataSet(name)
	if err != nil {
		return nil, err
	}
	return load(d, dir, split)
}

func load(d data.Descriptor, dir, split string) (*data.Pool, error) {
	if split != data.SplitTrain && split != data.SplitTest {
		return nil, usererr.New("choose train or test", "%s has no split %q", d.Name, split)
	}
	switch {
	case d.Make != nil:
		return d.Make(d, split), nil
	case d.Published():
		return loadImages(d, dir, split)
	}
	return loadFeatures(d, dir, split)
}

// Folder is the folder of a data set: its sub-folder of dir, or of Dir() if dir is empty. It need not exist. A
// synthetic one has none: that is a *usererr.Error.
func Folder(name, dir string) (string, error) {
	d, err := data.DataSet(name)
	if err != nil {
		return "", err
	}
	if d.Make != nil {
		return "", usererr.New("leave the name out for the data folder", "%s is computed and has no folder", d.Name)
	}
	return folderOf(d, dir)
}

// folderOf is the data set's sub-folder of dir, or of Dir() if dir is empty.
func folderOf(d data.Descriptor, dir string) (string, error) {
	if dir == "" {
		var err error
		if dir, err = Dir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, d.Folder), nil
}
