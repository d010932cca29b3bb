// Package pretrained registers the project's trained weights when a program imports it:
//
//	import _ "github.com/gfncp/gfncp/pretrained"
//
// Then gfncp.Open finds models by name ("mog-gfncp"), gfncp.Models lists them, and gfncp.Find reads their cards: what
// each was trained on, for how long, and what it reaches.
//
// The models behind the default answers, 3 MB, are inside the program. The models of the paper's tables, 36 MB, lie in
// the folder weights of a clone, which is a module of its own. Without a clone, Fetch downloads them.
package pretrained

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/usererr"
)

//go:embed embedded/*.safetensors
var embedded embed.FS

// listing has a line "SHA-256  FILE" for each file of weights, as sha256sum writes it.
//
//go:embed SHA256SUMS
var listing string

// published are the SHA-256 of the files that are not inside the program.
var published = sums()

func sums() map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(listing) {
		sum, file, _ := strings.Cut(strings.TrimSpace(line), "  ")
		found[file] = sum
	}
	return found
}

const ending = ".safetensors"

// Names lists the models that are not inside the program, in alphabetical order.
func Names() (names []string) {
	for file := range published {
		names = append(names, strings.TrimSuffix(file, ending))
	}
	slices.Sort(names)
	return names
}

// Env is the environment variable that names the folder of fetched weights; see Folder.
const Env = "GFNCP_WEIGHTS"

// Folder is where Fetch puts weights: $GFNCP_WEIGHTS if that is set, else gfncp/weights in the user's cache folder. It
// need not exist. Without either, as where no home folder is known, Folder returns a *usererr.Error.
func Folder() (string, error) {
	if dir := os.Getenv(Env); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", usererr.New("set "+Env+" to a folder", "no cache folder for weights is known").Because(err)
	}
	return filepath.Join(cache, "gfncp", "weights"), nil
}

// folders lists where weights that are not inside the program are looked for: Folder alone if $GFNCP_WEIGHTS is set,
// else the folders of the clones that hold the working directory and the program, then Folder.
func folders() (all []string) {
	own, err := Folder()
	if os.Getenv(Env) == "" {
		below, _ := os.Getwd()
		program, _ := os.Executable()
		for _, at := range []string{below, filepath.Dir(program)} {
			if clone := inClone(at); clone != "" {
				all = append(all, clone)
			}
		}
	}
	if err == nil {
		all = append(all, own)
	}
	return all
}

// inClone returns the folder of weights of the clone that contains the folder at, or "".
func inClone(at string) string {
	for at != "" {
		weights := filepath.Join(at, "pretrained", "weights")
		if _, err := os.Stat(filepath.Join(weights, "go.mod")); err == nil {
			return weights
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	return ""
}

func init() {
	inside, err := fs.Sub(embedded, "embedded")
	if err != nil {
		panic(err) // "embedded" is a valid path
	}
	gfncp.Register(inside)
	for _, folder := range folders() {
		gfncp.Register(os.DirFS(folder))
	}
	gfncp.Register(absent{})
}

// absent is a folder without files, which knows what is published.
type absent struct{}

// Open implements fs.FS. A published model is a *usererr.Error with the remedy.
func (absent) Open(name string) (fs.File, error) {
	if model := strings.TrimSuffix(name, ending); published[name] != "" {
		return nil, usererr.File(model, 0, "run gfncp fetch weights "+model,
			"is a pretrained model that is not on this machine").Because(fs.ErrNotExist)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
