// Package wheel reads Python's packages: zip archives with a list of their files and SHA-256 sums (PEP 427). It knows
// which machine a wheel is for and unpacks it; what is inside belongs elsewhere. Python is not started.
package wheel

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Suffix is how the names of wheels end.
const Suffix = ".whl"

// again is the remedy for damage.
const again = "download it again"

// Wheel is an open wheel.
type Wheel struct {
	path      string
	archive   *zip.ReadCloser
	files     map[string]*zip.File
	sums      map[string]string // by file: SHA-256, as RECORD writes it
	platforms []string          // such as manylinux_2_27_x86_64
}

// Open opens a wheel and reads its lists. A file that is not there, or is no whole wheel, is a usererr.Error.
func Open(file string) (*Wheel, error) {
	archive, err := zip.OpenReader(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return nil, fileio.OpenFault(file, err)
	case err != nil:
		return nil, usererr.File(file, 0, again, "no whole wheel: it is cut short, or something else (%v)", err)
	}
	w := &Wheel{path: file, archive: archive, files: map[string]*zip.File{}, sums: map[string]string{}}
	for _, f := range archive.File {
		w.files[f.Name] = f
	}
	if err := w.readLists(); err != nil {
		_ = archive.Close()
		return nil, err
	}
	return w, nil
}

// Close closes the file.
func (w *Wheel) Close() error { return w.archive.Close() }

// damaged is an error about the wheel.
func (w *Wheel) damaged(format string, args ...any) error {
	return usererr.File(w.path, 0, again, format, args...)
}

// readLists reads WHEEL, whose tags name platforms, and RECORD, which names files.
func (w *Wheel) readLists() error {
	for name, read := range map[string]func(io.Reader) error{"WHEEL": w.readTags, "RECORD": w.readSums} {
		var list *zip.File
		for _, f := range w.archive.File {
			if dir, base := path.Split(f.Name); base == name && strings.HasSuffix(dir, ".dist-info/") {
				list = f
			}
		}
		if list == nil {
			return w.damaged("no wheel: it has no %s", name)
		}
		in, err := list.Open()
		if err == nil {
			err = read(in)
			_ = in.Close()
		}
		if err != nil {
			return w.damaged("its %s cannot be read (%v)", name, err)
		}
	}
	return nil
}

func (w *Wheel) readTags(in io.Reader) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		tag, found := strings.CutPrefix(lines.Text(), "Tag: ")
		if parts := strings.Split(strings.TrimSpace(tag), "-"); found && len(parts) == 3 {
			w.platforms = append(w.platforms, strings.Split(parts[2], ".")...)
		}
	}
	return lines.Err()
}

func (w *Wheel) readSums(in io.Reader) error {
	rows := csv.NewReader(in)
	rows.FieldsPerRecord = 3
	all, err := rows.ReadAll()
	for _, row := range all {
		if sum, found := strings.CutPrefix(row[1], "sha256="); found {
			w.sums[row[0]] = sum
		}
	}
	return err
}

// For returns a usererr.Error if the wheel is for another kind of machine than goos and goarch, in Go's words, tell.
func (w *Wheel) For(goos, goarch string) error {
	for _, platform := range w.platforms {
		if fits(platform, goos, goarch) {
			return nil
		}
	}
	return usererr.File(w.path, 0, "take the wheel for "+goos+"/"+goarch, "a wheel of another platform: it is for %s",
		strings.Join(w.platforms, ", "))
}

// fits tells whether a platform tag names a kind of machine. Wheels for musl are for none of those that Go names.
func fits(platform, goos, goarch string) bool {
	switch goos {
	case "linux":
		machine := map[string]string{"amd64": "_x86_64", "arm64": "_aarch64"}[goarch]
		return platform == "any" || strings.HasSuffix(platform, machine) && machine != "" &&
			(strings.HasPrefix(platform, "manylinux") || strings.HasPrefix(platform, "linux"))
	case "darwin":
		machine := map[string]string{"amd64": "_x86_64", "arm64": "_arm64"}[goarch]
		return platform == "any" || strings.HasPrefix(platform, "macosx_") && machine != "" &&
			(strings.HasSuffix(platform, machine) || strings.HasSuffix(platform, "_universal2"))
	default:
		return platform == "any"
	}
}

// Unpack writes the wheel's files, but those about the wheel itself, below a folder, which must be there. Each must be
// as RECORD says; if one is not, that is a usererr.Error, and the folder holds a part.
func (w *Wheel) Unpack(folder string) error {
	for _, f := range w.archive.File {
		if strings.HasSuffix(f.Name, "/") || strings.Contains(f.Name, ".dist-info/") {
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || !f.Mode().IsRegular() {
			return w.damaged("%q in it is no plain file below a folder", f.Name)
		}
		if err := w.unpack(f, filepath.Join(folder, filepath.FromSlash(f.Name))); err != nil {
			return err
		}
	}
	return nil
}

func (w *Wheel) unpack(f *zip.File, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return w.damaged("%s in it cannot be read (%v)", f.Name, err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permissions(f))
	if err != nil {
		return err
	}
	sum, source := sha256.New(), &noted{r: in}
	_, err = io.Copy(io.MultiWriter(out, sum), source)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if source.err != nil {
		return w.damaged("%s in it is damaged (%v)", f.Name, source.err)
	}
	if err != nil {
		return fmt.Errorf("unpack %s: %w", w.path, err)
	}
	if base64.RawURLEncoding.EncodeToString(sum.Sum(nil)) != w.sums[f.Name] {
		return w.damaged("%s in it has not the SHA-256 that its RECORD states", f.Name)
	}
	return nil
}

// permissions are those of an unpacked file: what may be run may be run by all.
func permissions(f *zip.File) fs.FileMode {
	if f.Mode()&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// noted keeps a fault of reading apart from those of writing.
type noted struct {
	r   io.Reader
	err error
}

func (n *noted) Read(p []byte) (int, error) {
	count, err := n.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		n.err = err
	}
	return count, err
}
