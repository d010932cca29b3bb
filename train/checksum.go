package train

import (
	"fmt"
	"io"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
)

// writeSafetensors writes a file with its checksum, atomically.
func writeSafetensors(path string, file *safetensors.File) (err error) {
	if file.Metadata[safetensors.MetaSum], err = safetensors.Checksum(file); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return atomicfile.Write(path, func(w io.Writer) error { return safetensors.Encode(w, file) })
}

// checkSum refuses a file whose checksum is missing or wrong.
func checkSum(path string, file *safetensors.File) error {
	want, sealed := file.Metadata[safetensors.MetaSum]
	if !sealed {
		return usererr.File(path, 0, "train or export it anew, or take another one",
			"has no checksum: it is damaged, or a gfncp of before 0.1.0 wrote it")
	}
	got, err := safetensors.Checksum(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if got != want {
		return usererr.File(path, 0, "copy it anew, or take another one",
			"is damaged: its checksum is not that of its content")
	}
	return nil
}

// checkFile reports whether the file at path is missing or damaged.
func checkFile(path string) error {
	file, err := safetensors.ReadFile(path)
	if err == nil {
		err = checkSum(path, file)
	}
	return err
}
