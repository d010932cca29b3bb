package experiments

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/internal/atomicfile"
)

// kept returns what an earlier call with the same key left in dir, or computes and keeps it.
func kept[K, V any](dir string, key K, compute func() (V, error)) (v V, err error) {
	text, err := json.Marshal(key)
	if err != nil {
		return v, err
	}
	path := filepath.Join(dir, "eval-"+hash(string(text))+".json")
	text, err = os.ReadFile(path)
	if err == nil && json.Unmarshal(text, &v) == nil {
		return v, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return v, fmt.Errorf("read an earlier evaluation: %w", err)
	}
	if v, err = compute(); err != nil {
		return v, err
	}
	if text, err = json.MarshalIndent(v, "", "  "); err != nil {
		return v, err
	}
	return v, atomicfile.WriteFile(path, append(text, '\n'), 0o644)
}

// keptPieces returns the values of the first sets of a test, which are computed and kept a piece of them at a time:
// what was interrupted goes on, and more sets continue fewer. The key of a piece is that of its first set and their
// number.
func keptPieces[V any](dir string, piece, sets int, key func(from, count int) any,
	compute func(from, count int) ([]V, error),
) (all []V, err error) {
	for from := 0; from < sets; from += piece {
		count := min(piece, sets-from)
		some, err := kept(dir, key(from, count), func() ([]V, error) { return compute(from, count) })
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}
