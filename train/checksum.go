package train

import (
	"fmt"
	"io"
	"slices"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
)

// unsealedKeys are the metadata keys of files from before there were checksums.
var unsealedKeys = []string{metaFormat, metaConfig, metaCard, metaProgress}

// writeSafetensors writes a file with its checksum, atomically.
func writeSafetensors(path string, file *safetensors.File) (err error) {
	if file.Metadata[safetensors.MetaSum], err = safetensors.Checksum(file); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return atomicfile.Write(path, func(w io.Writer) error { return safetensors.Encode(w, file) })
}

// checkSum compares a file with its checksum. A file without one is accepted with a warning, because earlier versions
// wrote none. If it has an unknown key, that may be the damaged key of a checksum, and the file is refused.
func checkSum(path string, file *safetensors.File) (warning string, err error) {
	damaged := usererr.File(path, 0, "copy it anew, or take another one",
		"is damaged: its checksum is not that of its content")
	want, sealed := file.Metadata[safetensors.MetaSum]
	if !sealed {
		for key := range file.Metadata {
			if !slices.Contains(unsealedKeys, key) {
				damaged.Msg = fmt.Sprintf("is damaged: it has no checksum, but the unknown metadata key %q", key)
				return "", damaged
			}
		}
		return path + " has no checksum, so damage may go unnoticed: an earlier gfncp wrote it; what gfncp train and " +
			"gfncp export write now has one", nil
	}
	got, err := safetensors.Checksum(file)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	if got != want {
		return "", damaged
	}
	return "", nil
}

// checkFile reports whether the file at path is missing or damaged.
func checkFile(path string) error {
	file, err := safetensors.ReadFile(path)
	if err == nil {
		_, err = checkSum(path, file)
	}
	return err
}
