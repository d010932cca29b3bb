// Package cached keeps values that took long to compute as JSON files, named by the hash of the key.
package cached

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/fileio"
)

// Value returns the value that an earlier call with the same key kept in dir, which must exist, or computes and keeps
// it. The key is anything that JSON can hold. A file that is no JSON of a V is computed again.
func Value[K, V any](dir string, key K, compute func() (V, error)) (v V, err error) {
	text, err := json.Marshal(key)
	if err != nil {
		return v, err
	}
	path := filepath.Join(dir, "eval-"+Hash(string(text))+".json")
	text, err = fileio.ReadFile(path)
	if err == nil && json.Unmarshal(text, &v) == nil {
		return v, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return v, fmt.Errorf("read an earlier evaluation: %w", err)
	}
	if v, err = compute(); err != nil {
		return v, err
	}
	return v, atomicfile.WriteJSON(path, v)
}

// Hash is ten hexadecimal digits that name a text.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:5])
}
