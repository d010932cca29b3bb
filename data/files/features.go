package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
)

// featureKinds open the files that must be read at several places, by the ending of their name.
var featureKinds = map[string]func(path string, f *os.File, size int64, o Options) (*data.Pool, *Conversion, error){
	".npz": openNPZ, ".safetensors": openTensors, ".parquet": openParquet,
}

// openRandom opens a regular file of one of featureKinds, by its content or its name; done is false for any other.
func openRandom(path string, size int64, o Options) (pool *data.Pool, conv *Conversion, done bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, true, fileio.OpenFault(path, err)
	}
	defer func() { _ = f.Close() }()
	start := make([]byte, 9)
	n, err := io.ReadFull(io.NewSectionReader(f, 0, size), start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, true, fmt.Errorf("read %s: %w", path, fileio.WithoutPath(err))
	}
	ext := featureExt(start[:n])
	if ext == "" {
		ext = strings.ToLower(filepath.Ext(path))
	}
	open, known := featureKinds[ext]
	if !known {
		return nil, nil, false, nil
	}
	pool, conv, err = open(path, f, size, o)
	return pool, conv, true, err
}

// featureExt tells the kind of a file by its first bytes: "" if they are those of none of featureKinds.
func featureExt(start []byte) string {
	text := string(start)
	switch {
	case strings.HasPrefix(text, "PK\x03\x04"), strings.HasPrefix(text, "PK\x05\x06"):
		return ".npz"
	case strings.HasPrefix(text, "PAR1"), strings.HasPrefix(text, "PARE"):
		return ".parquet"
	case len(start) == 9 && start[8] == '{' && slices.Equal(start[4:8], make([]byte, 4)): // a header of less than 4 GiB of JSON
		return ".safetensors"
	}
	return ""
}

// IsFeatureFile reports whether Open reads a file that starts with these bytes, or has this name, as one of features: .npz,
// .safetensors or .parquet. start holds the first 9 bytes, or all of a shorter file.
func IsFeatureFile(path string, start []byte) bool {
	return featureExt(start) != "" || featureKinds[strings.ToLower(filepath.Ext(path))] != nil
}
