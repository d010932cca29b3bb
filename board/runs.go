package board

import (
	"cmp"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	ID     string  `json:"id"`
	Name   string  `json:"name"` // the directory's
	Dir    string  `json:"dir"`
	Model  string  `json:"model"`
	Data   string  `json:"data"`
	Seed   uint64  `json:"seed"`
	Steps  int     `json:"steps"` // that the config asks for
	Step   int     `json:"step"`  // that the log has reached
	Loss   float64 `json:"loss"`  // of that step
	Bytes  int64   `json:"bytes"` // of the log
	Status string  `json:"status"`
	// Changed is when the log last grew, in seconds since 1970.
	Changed int64  `json:"changed"`
	Fault   string `json:"fault,omitempty"`

	log  fs.FileInfo // as it was when Step was read; nil before
	last float64     // seconds that the last step took
}

// The status of a run, as its files show it.
const (
	running  = "running"  // its log has just grown
	quiet    = "quiet"    // its log has not grown for a while: it was stopped, or a step takes long
	finished = "finished" // it has a result
	gone     = "gone"     // its directory has been removed
)

type found struct {
	Runs  []*Run   `json:"runs"`
	Notes []string `json:"notes"` // missing folders, and that runs were left out
}

// finder searches the folders; requests at about the same time share a search.
type finder struct {
	folders []string
	every   time.Duration

	mu     sync.Mutex
	last   time.Time
	result found
	known  map[string]*Run // by directory, removed ones included
}

// look searches the folders, or returns the last result if it is younger than every/2. The runs are copies.
func (f *finder) look() found {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.last) < f.every/2 {
		return f.result
	}
	runs, notes := f.directories()
	f.result = found{Runs: []*Run{}, Notes: notes}
	here := map[string]bool{}
	for _, dir := range runs {
		here[dir] = true
		if f.known[dir] == nil {
			f.known[dir] = &Run{ID: cached.Hash(dir), Dir: dir, Name: filepath.Base(dir)}
		}
		f.known[dir].read()
	}
	for dir, run := range f.known {
		if !here[dir] {
			run.Status, run.Fault = gone, "the directory has disappeared; what was read of it stays until it is back"
		}
		kept := *run
		f.result.Runs = append(f.result.Runs, &kept)
	}
	slices.SortFunc(f.result.Runs, func(a, b *Run) int {
		return cmp.Or(cmp.Compare(b.Changed, a.Changed), cmp.Compare(a.Dir, b.Dir))
	})
	f.last = time.Now()
	return f.result
}

// run returns the run with an ID, or nil.
func (f *finder) run(id string) *Run {
	for _, r := range f.look().Runs {
		if r.ID == id {
			return r
		}
	}
	return nil
}

func (f *finder) directories() (runs, notes []string) {
	notes = []string{}
	for _, folder := range f.folders {
		root, err := filepath.Abs(folder)
		if err == nil {
			_, err = os.Stat(root)
		}
		if err != nil {
			notes = append(notes, folder+" is not there")
			continue
		}
		more := false
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return nil // it disappeared, or is a file
			}
			switch level := strings.Count(strings.TrimPrefix(path, root), string(filepath.Separator)); {
			case len(runs) >= mostFound:
				more = true
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
		if more {
			notes = append(notes, "there are more runs than a board shows; name fewer folders")
		}
	}
	return runs, notes
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
	now, err := os.Stat(train.LogPath(r.Dir))
	there := err == nil
	if there && (r.log == nil || now.Size() != r.log.Size() || !now.ModTime().Equal(r.log.ModTime())) {
		if last, ok := train.LastStep(r.Dir); ok {
			r.Step, r.Loss, r.last = last.Step, last.Loss, last.Seconds
			if math.Abs(r.Loss) >= math.MaxFloat64 { // it diverged
				r.Loss = 0
			}
		}
		r.log, r.Bytes, r.Changed = now, now.Size(), now.ModTime().Unix()
	}
	if !there && r.Changed == 0 {
		if config, err := os.Stat(train.ConfigPath(r.Dir)); err == nil {
			r.Changed = config.ModTime().Unix()
		}
	}
	switch age := time.Since(time.Unix(r.Changed, 0)); {
	case isFile(train.ResultPath(r.Dir)):
		r.Status = finished
	case there && (age < freshFor || age.Seconds() < freshSteps*r.last):
		r.Status = running
	default:
		r.Status = quiet
	}
}
