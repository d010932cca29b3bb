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
// process loses no event, and a machine that fails loses at most those since the last Sync, the end of the file being cut.
// After a failed write the file may end inside a record; every later call then returns that error and writes nothing.
type Writer struct {
	file *os.File
	err  error
}

// Create starts a new event file in dir for a session whose first step is first: it tells viewers that all they have read of
// this step and later ones from the directory's other files is void. dir is created if it does not exist. now names
// the file, made later than the directory's other files if it is not; host is the machine's name.
func Create(dir, host string, now time.Time, first int) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create the events directory: %w", err)
	}
	file, err := createNext(dir, host, now.Unix())
	if err != nil {
		return nil, fmt.Errorf("create an event file: %w", err)
	}
	w := &Writer{file: file}
	// TensorBoard ignores a directory's first START, so that the first session must write one too.
	if err := w.write(Event{Time: now, Version: version}, Event{Time: now, Step: first, Start: true}); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// createNext creates a file that comes after all others of dir: viewers read them in the order of their names.
func createNext(dir, host string, second int64) (*os.File, error) {
	host = strings.Map(func(r rune) rune {
		if r == '/' || r == os.PathSeparator {
			return '_'
		}
		return r
	}, host)
	names, err := Files(dir)
	if err != nil {
		return nil, err
	}
	for _, path := range names {
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

// Path is the file's path.
func (w *Writer) Path() string { return w.file.Name() }

// Add appends the values of a step, as one event.
func (w *Writer) Add(at time.Time, step int, scalars ...Scalar) error {
	return w.write(Event{Time: at, Step: step, Scalars: scalars})
}

func (w *Writer) write(events ...Event) error {
	if w.err != nil {
		return w.err
	}
	var records []byte
	for _, e := range events {
		records = appendRecord(records, e.encode())
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
