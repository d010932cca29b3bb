package tensorboard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// prefix is how the names of event files begin; ten digits of Unix time and the machine's name follow.
const prefix = "events.out.tfevents."

// Writer appends events to one file. It is not safe for concurrent use.
//
// Nothing is buffered in the process: each call hands whole records to the operating system in one write, so a killed
// process loses no event, and a machine that fails loses at most those since the last Sync, the end of the file being
// cut. After a failed write the file may end inside a record; every later call then returns that error and writes
// nothing.
type Writer struct {
	file *os.File
	err  error
}

// Create starts the curves of dir anew, from the first step: a viewer that has read some already is told that they are
// void, and older event files are removed. dir is created if it does not exist. now names the file, made later than the
// older ones if it is not; host is the machine's name.
func Create(dir, host string, now time.Time) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create the events directory: %w", err)
	}
	older, err := eventFiles(dir)
	if err != nil {
		return nil, err
	}
	file, err := createAfter(older, dir, host, now.Unix())
	if err != nil {
		return nil, fmt.Errorf("create an event file: %w", err)
	}
	w := &Writer{file: file}
	if err := w.write(versionEvent(now), startEvent(now, 1)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	for _, path := range older {
		if err := os.Remove(path); err != nil {
			return nil, errors.Join(fmt.Errorf("remove an older event file: %w", err), file.Close())
		}
	}
	return w, nil
}

// eventFiles lists the event files of a directory.
func eventFiles(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list event files: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths, nil
}

// createAfter creates a file that comes after the older ones: viewers read them in the order of their names.
func createAfter(older []string, dir, host string, second int64) (*os.File, error) {
	host = strings.Map(func(r rune) rune {
		if r == '/' || r == os.PathSeparator {
			return '_'
		}
		return r
	}, host)
	for _, path := range older {
		var held int64
		if _, err := fmt.Sscanf(filepath.Base(path), prefix+"%d", &held); err == nil {
			second = max(second, held+1)
		}
	}
	for ; ; second++ {
		path := filepath.Join(dir, fmt.Sprintf("%s%010d.%s", prefix, second, host))
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// Add appends the values of a step, as one event.
func (w *Writer) Add(at time.Time, step int, scalars ...Scalar) error {
	return w.write(scalarsEvent(at, step, scalars))
}

func (w *Writer) write(events ...[]byte) error {
	if w.err != nil {
		return w.err
	}
	var records []byte
	for _, e := range events {
		records = appendRecord(records, e)
	}
	if _, err := w.file.Write(records); err != nil {
		w.err = fmt.Errorf("write events: %w", err)
	}
	return w.err
}

// Sync makes sure that what was added outlives a failure of the machine.
func (w *Writer) Sync() error {
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("sync events: %w", err)
	}
	return nil
}

// Close syncs and closes the file.
func (w *Writer) Close() error { return errors.Join(w.Sync(), w.file.Close()) }
