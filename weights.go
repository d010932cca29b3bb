package gfncp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

const weightsSuffix = ".safetensors"

// registered holds the folders given to Register.
var registered struct {
	sync.RWMutex
	folders []fs.FS
}

// Register lets the models in a folder be opened by name: NAME.safetensors is called NAME. If two models have the same
// name, the first registered is used. Package pretrained registers the project's models when it is imported; embed a
// folder of your own models (package embed) to ship them in the same way. Find passes on an *Error of the folder's
// Open.
func Register(weights fs.FS) {
	registered.Lock()
	defer registered.Unlock()
	registered.folders = append(registered.folders, weights)
}

// Models lists the names of the registered models in alphabetical order.
func Models() []string {
	registered.RLock()
	defer registered.RUnlock()
	var names []string
	for _, folder := range registered.folders {
		files, _ := fs.Glob(folder, "*"+weightsSuffix) // the pattern is well formed
		for _, file := range files {
			names = append(names, strings.TrimSuffix(file, weightsSuffix))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// registeredFile returns the file of a registered model. If no folder has the file, the error is an *Error of a
// folder's Open, or else fs.ErrNotExist or fs.ErrInvalid.
func registeredFile(name string) ([]byte, error) {
	registered.RLock()
	defer registered.RUnlock()
	fault := fs.ErrNotExist
	for _, folder := range registered.folders {
		content, err := fs.ReadFile(folder, name+weightsSuffix)
		if err == nil {
			return content, nil
		}
		if !usererr.Is(fault) {
			fault = err
		}
	}
	return nil, fault
}

// Find reads the card, the config and the weights of a trained model, without a backend. name is a registered model, a
// run directory (its best weights), or a model file. It returns an *Error with the remedy if it cannot read the model.
// The error wraps fs.ErrNotExist if nothing has that name.
func Find(name string) (*train.Model, error) {
	content, missing := registeredFile(name)
	if missing == nil {
		m, err := train.DecodeModel("pretrained "+name, content)
		if err == nil {
			m.Card.Name = name
		}
		return m, err
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && usererr.Is(missing):
		return nil, missing
	case errors.Is(err, fs.ErrNotExist):
		return nil, notFound(name, err)
	case err != nil:
		return nil, usererr.File(name, 0, "check the path and its permissions", "cannot be read").Because(err)
	case !info.IsDir():
		return train.ReadModel(name)
	}
	return findInRun(name)
}

// notFound returns the error for an unknown name. The most common cause in a Go program is a forgotten import.
func notFound(name string, cause error) error {
	fault := &usererr.Error{Path: name, Msg: "is neither a file, a run directory nor a pretrained model", Err: cause}
	if names := Models(); len(names) > 0 {
		fault.Hint = usererr.DidYouMean(name, names, "give one of "+strings.Join(names, ", ")+", or a path")
	} else {
		fault.Msg += " (this program holds none)"
		fault.Hint = `import _ "github.com/gfncp/gfncp/pretrained" for the pretrained models, or give a path`
	}
	return fault
}

// findInRun reads the best weights of a run directory.
func findInRun(dir string) (*train.Model, error) {
	best := train.BestPath(dir)
	if _, err := os.Stat(best); err != nil {
		return nil, usererr.File(dir, 0, "give the directory of a run that has validated at least once",
			"holds no trained weights (no %s)", filepath.Base(best)).Because(err)
	}
	m, err := train.ReadModel(best)
	if err == nil {
		m.Card.Name = filepath.Base(filepath.Clean(dir))
	}
	return m, err
}
