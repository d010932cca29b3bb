package sweep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// New makes the directory of a planned sweep below root, or opens the one there that holds the same plan. runs is the
// directory of all runs; text is the sweep file. If a job cannot read its data, New returns an error before it writes
// anything.
func New(root, runs string, text []byte, plan *Plan) (*Sweep, error) {
	dir, err := filepath.Abs(filepath.Join(root, plan.Directory()))
	if err != nil {
		return nil, fmt.Errorf("find the directory of sweep %s: %w", plan.Name, err)
	}
	if runs, err = filepath.Abs(runs); err != nil {
		return nil, fmt.Errorf("find the directory of runs: %w", err)
	}
	known, err := Open(dir)
	if err == nil {
		if old := known.Plan.Runs; old != runs {
			return nil, usererr.File(dir, 0, "give --runs "+old+", or another directory with --sweeps",
				"was planned for runs in %s", old)
		}
		return known, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, j := range plan.Jobs {
		if _, err := sources.PoolOf(j.Config.Data); err != nil {
			return nil, err
		}
	}
	placed := *plan
	placed.Runs = runs
	s := &Sweep{Dir: dir, Plan: &placed}
	for _, sub := range []string{"state", "locks", "logs"} {
		if err := os.MkdirAll(s.file(sub), 0o755); err != nil {
			return nil, usererr.File(s.Dir, 0, "choose another directory with --sweeps",
				"cannot be created (%v)", err).Because(err)
		}
	}
	if err := atomicfile.WriteFile(s.file("sweep.toml"), text); err != nil {
		return nil, err
	}
	return s, atomicfile.WriteJSON(s.file("plan.json"), s.Plan)
}

// Open opens the sweep in a directory.
func Open(dir string) (*Sweep, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", dir, err)
	}
	path := filepath.Join(whole, "plan.json")
	text, err := fileio.ReadFile(path)
	if err != nil {
		return nil, usererr.File(dir, 0, "give one made by `gfncp sweep FILE`",
			"is not a sweep's directory (no plan.json)").Because(err)
	}
	s := &Sweep{Dir: whole, Plan: &Plan{}}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	const anew = "use the version of gfncp that planned it, or start anew from its sweep.toml"
	if err := decoder.Decode(s.Plan); err != nil || s.Plan.SchemaVersion != planVersion {
		return nil, usererr.File(path, 0, anew, "this version cannot read the plan (%s)", cmp.Or(err,
			fmt.Errorf("its version is %d", s.Plan.SchemaVersion)))
	}
	if hash, err := s.Plan.digest(); err != nil || hash != s.Plan.Hash {
		return nil, usererr.File(path, 0, anew, "the plan is damaged: it does not have the hash %q", s.Plan.Hash)
	}
	return s, nil
}
