package sweep

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/usererr"
)

// The bounds of a packed sweep. They are those of a lent machine, from which 8 files of 16 MiB come back.
const (
	mostParts   = 4
	mostPartLen = 15_000_000 // bytes of the runs in one part, before compression
)

// Pack renews the archives in dir that carry a sweep to another machine: unpacked in a directory there, `gfncp sweep`
// goes on with it.
//
//	sweep.tar.gz   the sweep's directory: plan, states, logs, results of its commands
//	runs-N.tar.gz  the runs, in at most four parts; of a finished one no checkpoints, of the others the newest
//
// Paths in them are as seen from the working directory, below which the sweep and the runs must lie. Each archive, and
// each file of gfncp's in it, is either whole or not there, whatever runs meanwhile. Unfinished runs come first; what
// has no room is narrated.
func (s *Sweep) Pack(dir string) error {
	base, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	for _, path := range []string{s.Dir, s.RunDir(Job{})} {
		if !below(base, path) {
			return usererr.File(path, 0, "leave --sweeps and --runs below the working directory",
				"cannot be packed from %s",
				base)
		}
	}
	own, err := filesBelow(s.Dir, func(path string) bool {
		first, _, _ := strings.Cut(path, "/")
		return first != "locks" && first != "bin"
	})
	if err != nil {
		return err
	}
	if err := writeArchive(filepath.Join(dir, "sweep.tar.gz"), base, own); err != nil {
		return err
	}
	files, err := s.runFiles()
	if err != nil {
		return err
	}
	parts := s.intoParts(files, mostPartLen)
	for i := range mostParts {
		path := filepath.Join(dir, fmt.Sprintf("runs-%d.tar.gz", i))
		if i < len(parts) {
			err = writeArchive(path, base, parts[i])
		} else {
			err = os.RemoveAll(path) // of an earlier, larger copy
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func below(dir, path string) bool {
	relative, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(relative)
}

// filesBelow lists the regular files below a directory that are wanted, by their slash-separated paths in it, without
// hidden and temporary ones. There are none where there is no such directory.
func filesBelow(dir string, wanted func(path string) bool) (files []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && entry.Type().IsRegular() && !strings.HasPrefix(entry.Name(), ".") && wanted(path) {
			files = append(files, filepath.Join(dir, path))
		}
		return err
	})
	return files, err
}

// runFiles lists what is worth keeping of the runs, those first that are not finished. A sweep with commands may have
// made any of the runs; one without has made its own.
func (s *Sweep) runFiles() (files []string, err error) {
	root := s.RunDir(Job{})
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	commands := slices.ContainsFunc(s.Plan.Jobs, func(j Job) bool { return j.Command != nil })
	var finished []string
	for _, entry := range entries {
		own := slices.ContainsFunc(s.Plan.Jobs, func(j Job) bool { return j.Run == entry.Name() })
		if !entry.IsDir() || !commands && !own {
			continue
		}
		dir := filepath.Join(root, entry.Name())
		_, err := os.Stat(filepath.Join(dir, "result.json"))
		done := err == nil
		// The names of checkpoints hold the step with leading zeros.
		checkpoints, err := fs.Glob(os.DirFS(dir), "checkpoints/[^.]*.safetensors")
		if err != nil {
			return nil, err
		}
		some, err := filesBelow(dir, func(file string) bool {
			if path.Dir(file) == "checkpoints" {
				return !done && len(checkpoints) > 0 && file == checkpoints[len(checkpoints)-1]
			}
			return path.Base(file) != "lock"
		})
		if err != nil {
			return nil, err
		}
		if done {
			finished = append(finished, some...)
		} else {
			files = append(files, some...)
		}
	}
	return append(files, finished...), nil
}

// intoParts divides files into at most mostParts lists of a length in bytes, more for a single file that is longer.
func (s *Sweep) intoParts(files []string, length int64) (parts [][]string) {
	filled := length
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			continue // it has been removed meanwhile
		}
		if filled += info.Size(); filled > length {
			if len(parts) == mostParts {
				s.Narrate("left out of the copy, no room: %s", path)
				filled -= info.Size()
				continue
			}
			parts, filled = append(parts, nil), info.Size()
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], path)
	}
	return parts
}

// writeArchive replaces a .tar.gz by one of files, whose names are their paths as seen from base.
func writeArchive(path, base string, files []string) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		zipped, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			return err
		}
		archive := tar.NewWriter(zipped)
		for _, file := range files {
			name, err := filepath.Rel(base, file)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(file) // whole, for it may grow
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			head := &tar.Header{
				Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(content)), ModTime: time.Now(),
			}
			if err := archive.WriteHeader(head); err != nil {
				return err
			}
			if _, err := archive.Write(content); err != nil {
				return err
			}
		}
		return errors.Join(archive.Close(), zipped.Close())
	})
}

// KeepPacked packs the sweep into a directory now, whenever a worker ends, and at an interval, until last is called,
// which packs it once more. Faults on the way are narrated; last returns its own.
func (s *Sweep) KeepPacked(dir string, every time.Duration) (last func() error, err error) {
	var mutex sync.Mutex
	pack := func() error {
		mutex.Lock()
		defer mutex.Unlock()
		return s.Pack(dir)
	}
	if err := pack(); err != nil {
		return nil, err
	}
	again := func() {
		if err := pack(); err != nil {
			s.Narrate("the copy in %s could not be renewed: %v", dir, err)
		}
	}
	s.Ended = again
	tick, over := time.NewTicker(every), make(chan struct{})
	go func() {
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				again()
			}
		}
	}()
	return func() error {
		tick.Stop()
		close(over)
		return pack()
	}, nil
}
