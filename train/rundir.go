package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// holdsRun reports whether dir holds a run of c. It fails if dir holds another run, or files that a run would overwrite
// or take for its own.
func holdsRun(dir string, c Config) (bool, error) {
	files := FilesOf(dir) // first: another process may write the config just now
	known, err := ReadConfig(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(files) == 0:
		return false, nil
	case errors.Is(err, fs.ErrNotExist):
		err = usererr.File(dir, 0, "choose another directory", "holds %s, but no run (no config.toml)", files[0])
	case err == nil && known != c:
		err = usererr.File(ConfigPath(dir), 0, "choose another directory, or resume with the run's own config",
			"holds a run with another config")
	}
	return err == nil, err
}

// lockDir makes the run directory if it is missing, and locks it for this process.
func lockDir(dir string) (*flock.Flock, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, usererr.File(dir, 0, "choose another directory", "cannot be created (%v)", err).Because(err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if ok, err := lock.TryLock(); err != nil {
		return nil, usererr.File(dir, 0, "make it and the file lock in it writable, or choose another directory",
			"cannot be locked (%v)", err).Because(err)
	} else if !ok {
		return nil, usererr.File(dir, 0, "wait for it, or choose another directory",
			"another process is training here")
	}
	return lock, nil
}

// FilesOf lists the files in a directory that have the names of a run's files, by their paths in the directory. The
// list is empty if the directory cannot be read.
func FilesOf(dir string) (held []string) {
	for _, pattern := range []string{
		ConfigPath(""), ResultPath(""), LogPath(""), BestPath(""), checkpointFolder + "/*", keptFolder + "/*",
	} {
		names, _ := fs.Glob(os.DirFS(dir), pattern)
		held = append(held, names...)
	}
	return held
}

// ReadConfig reads the config of a run directory.
func ReadConfig(dir string) (Config, error) {
	path := ConfigPath(dir)
	text, err := fileio.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Config{}, usererr.File(dir, 0, "give a directory made by gfncp train",
			"is not a run directory (no config.toml)").Because(err)
	case err != nil:
		return Config{}, err
	case len(text) == 0:
		return Config{}, usererr.File(path, 0, "copy it anew, or train again in another directory", "is empty")
	}
	return ParseConfig(path, text, Config{})
}

// ReadResult reads the result of a finished run. It fails while the run is not finished, and when its best weights are
// missing or damaged: then Run continues it.
func ReadResult(dir string) (Result, error) {
	var r Result
	text, err := fileio.ReadFile(ResultPath(dir))
	if err != nil {
		return r, fmt.Errorf("run %s is not finished: %w", dir, err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("read %s: %w", ResultPath(dir), err)
	}
	if err := checkFile(BestPath(dir)); err != nil {
		return r, fmt.Errorf("run %s has lost its weights: %w", dir, err)
	}
	return r, nil
}

// ConfigPath is the file of a run's config.
func ConfigPath(dir string) string { return filepath.Join(dir, "config.toml") }

// LogPath is the file with a line for each step.
func LogPath(dir string) string { return filepath.Join(dir, "metrics.jsonl") }

// ResultPath is the file that a finished run has.
func ResultPath(dir string) string { return filepath.Join(dir, "result.json") }

// BestPath is the file of a run's weights.
func BestPath(dir string) string { return filepath.Join(dir, "best.safetensors") }

// Kept lists the files of weights that a run kept (Options.KeepEvery), by their steps.
func Kept(dir string) []string { return stepPaths(dir, keptFolder) }

// The folders of a run that hold files of steps.
const (
	keptFolder       = "kept"
	checkpointFolder = "checkpoints"
)

func stepPath(dir, folder string, step int) string {
	return filepath.Join(dir, folder, fmt.Sprintf("step-%08d.safetensors", step))
}

// stepPaths lists the files in a folder of a run, by their steps.
func stepPaths(dir, folder string) []string {
	return fileio.Matching(filepath.Join(dir, folder), "step-*.safetensors")
}
