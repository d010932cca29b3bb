package pretrained

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// Find returns a trained model by the name of an embedded one, a run directory (its best weights), or a model file. What
// cannot be found or read is a usererr.Error with the remedy.
func Find(name string) (*train.Model, error) {
	if Has(name) {
		return Open(name)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &usererr.Error{
			Path: name, Msg: "is neither a file, a run directory nor a pretrained model", Err: err,
			Hint: usererr.DidYouMean(name, Names(), "give one of "+strings.Join(Names(), ", ")+", or a path"),
		}
	case err != nil:
		return nil, &usererr.Error{Path: name, Msg: "cannot be read", Hint: "check the path and its permissions", Err: err}
	case !info.IsDir():
		return train.ReadModel(name)
	}
	return findInRun(name)
}

// findInRun reads the best weights of a run directory.
func findInRun(dir string) (*train.Model, error) {
	best := train.BestPath(dir)
	if _, err := os.Stat(best); err != nil {
		return nil, &usererr.Error{
			Path: dir, Msg: "holds no trained weights (no " + filepath.Base(best) + ")", Err: err,
			Hint: "give the directory of a run that has validated at least once",
		}
	}
	m, err := train.ReadModel(best)
	if err == nil {
		m.Card.Name = filepath.Base(filepath.Clean(dir))
	}
	return m, err
}
