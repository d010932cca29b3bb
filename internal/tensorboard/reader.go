package tensorboard

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Files lists the event files of a directory in the order of their sessions; none if there is no such directory.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("list event files: %w", err)
	}
	var paths []string
	for _, entry := range entries {
		if ok, _ := filepath.Match(prefix+"*", entry.Name()); ok {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	sort.Strings(paths)
	return paths, nil
}

// Read returns the events of a file. A record that is cut off at the end, as a crash or a running writer leaves it, is
// passed over; a checksum that does not match is a fault of the file.
func Read(path string) ([]Event, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	var events []Event
	for {
		data, rest, err := cutRecord(file)
		var e Event
		if err == nil && data != nil {
			e, err = decodeEvent(data)
		}
		if err != nil {
			return nil, &usererr.Error{Path: path, Msg: fmt.Sprintf("event %d is damaged (%v)", len(events)+1, err), Hint: "move the file away", Err: err}
		}
		if data == nil {
			return events, nil
		}
		events = append(events, e)
		file = rest
	}
}

// History returns the events with values of a directory's sessions, in order, without those that a later session made void.
func History(dir string) ([]Event, error) {
	paths, err := Files(dir)
	if err != nil {
		return nil, err
	}
	var history []Event
	for _, path := range paths {
		events, err := Read(path)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			switch {
			case e.Start:
				kept := history[:0]
				for _, old := range history {
					if old.Step < e.Step {
						kept = append(kept, old)
					}
				}
				history = kept
			case len(e.Scalars) > 0:
				history = append(history, e)
			}
		}
	}
	return history, nil
}
