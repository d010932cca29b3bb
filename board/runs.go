package board

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/train"
)

// Limits of the search for runs.
const (
	deepest    = 3               // levels below a folder
	mostFound  = 2000            // runs
	freshFor   = 2 * time.Minute // a run is running if its log is younger,
	freshSteps = 5               // or younger than this many of its steps take
)

// Run is a run directory in the list of runs.
type Run struct {
	ID     string `json:"id"`
	Name   string `json:"name"` // the directory's
	Dir    string `json:"dir"`
	Model  string `json:"model"`
	Data   string `json:"data"`
	Seed   uint64 `json:"seed"`
	Steps  int    `json:"steps"` // that the config asks for
	Step   int    `json:"step"`  // that the log has reached
	Bytes  int64  `json:"bytes"` // of the log
	Status string `json:"status"`
	// Changed is when the log last grew, in seconds since 1970.
	Changed int64  `json:"changed"`
	Fault   string `json:"fault,omitempty"`

	last train.StepReport // the last step of the log
}

// The status of a run, as its files show it.
const (
	running  = "running"  // its log has just grown
	quiet    = "quiet"    // its log has not grown for a while: it was stopped, or a step takes long
	finished = "finished" // it has a result
)

type found struct {
	Runs  []Run    `json:"runs"`
	Notes []string `json:"notes"` // missing folders, and that runs were left out
}

// look searches the folders for runs, and returns them with the newest first.
func (b *Board) look() found {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, here := found{Runs: []Run{}, Notes: []string{}}, map[string]*Run{}
	for _, folder := range b.Folders {
		dirs, err := directories(folder)
		switch {
		case err != nil:
			now.Notes = append(now.Notes, folder+" is not there")
		case len(dirs) == mostFound:
			now.Notes = append(now.Notes, folder+" may have more runs than a board shows")
		}
		for _, dir := range dirs {
			id := cached.Hash(dir)
			here[id] = cmp.Or(b.known[id], &Run{ID: id, Dir: dir, Name: filepath.Base(dir)})
			here[id].read()
		}
	}
	b.known = here
	for _, run := range here {
		now.Runs = append(now.Runs, *run)
	}
	slices.SortFunc(now.Runs, func(a, b Run) int {
		return cmp.Or(cmp.Compare(b.Changed, a.Changed), cmp.Compare(a.Dir, b.Dir))
	})
	return now
}

// directory returns the directory of a run that a search has found, or "".
func (b *Board) directory(id string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if run := b.known[id]; run != nil {
		return run.Dir
	}
	return ""
}

// directories returns the run directories in a folder. It fails if the folder is not there.
func directories(folder string) (runs []string, err error) {
	root, err := filepath.Abs(folder)
	if err == nil {
		_, err = os.Stat(root)
	}
	if err != nil {
		return nil, err
	}
	return runs, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil // it disappeared, or is a file
		}
		switch level := strings.Count(strings.TrimPrefix(path, root), string(filepath.Separator)); {
		case len(runs) == mostFound:
			return filepath.SkipAll
		case path != root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case isFile(train.ConfigPath(path)):
			runs = append(runs, path)
			return filepath.SkipDir
		case level >= deepest:
			return filepath.SkipDir
		}
		return nil
	})
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// read brings a run up to date. The config never changes, and a log is read again when it has changed.
func (r *Run) read() {
	if r.Model == "" || r.Fault != "" {
		config, err := train.ReadConfig(r.Dir)
		r.Fault = ""
		if err != nil {
			r.Fault = err.Error()
		}
		r.Model, r.Data, r.Seed, r.Steps = config.Model, config.Data.Source, config.Seed, config.Train.Steps
	}
	r.Status = quiet
	if log, err := os.Stat(train.LogPath(r.Dir)); err == nil {
		if size, changed := log.Size(), log.ModTime().Unix(); size != r.Bytes || changed != r.Changed {
			r.last, _ = train.LastStep(r.Dir)
			r.Step, r.Bytes, r.Changed = r.last.Step, size, changed
		}
		if age := time.Since(log.ModTime()); age < freshFor || age.Seconds() < freshSteps*r.last.Seconds {
			r.Status = running
		}
	} else if config, err := os.Stat(train.ConfigPath(r.Dir)); err == nil {
		r.Changed = config.ModTime().Unix()
	}
	if isFile(train.ResultPath(r.Dir)) {
		r.Status = finished
	}
}
