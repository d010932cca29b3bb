package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/gfncp/gfncp/internal/usererr"
)

// elsewhere is the remedy common to most faults.
const elsewhere = "choose another output path"

// target is where an output path leads.
type target struct {
	file    string      // the file to replace, links followed
	dir     string      // its directory, which exists
	exists  bool        // a regular file is there already
	perm    fs.FileMode // its permission bits
	special bool        // a device, pipe or socket: cannot be replaced
}

// resolve follows links from path and checks that it can name an output file.
func resolve(path string) (target, error) {
	if path == "" {
		return target{}, usererr.New("name the output file", "the output path is empty")
	}
	if os.IsPathSeparator(path[len(path)-1]) {
		return target{}, directoryFault(path)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return target{}, directoryFault(path)
	case err == nil && !info.Mode().IsRegular():
		return target{dir: filepath.Dir(path), special: true}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return target{}, explain(path, filepath.Dir(path), err)
	}
	file := followLinks(path)
	t := target{file: file, dir: filepath.Dir(file)}
	if err == nil {
		t.exists, t.perm = true, info.Mode().Perm()
		return t, checkOld(path, t)
	}
	return t, checkDir(path, t.dir)
}

// checkOld refuses to replace a file that its owner has protected against writing: a rename alone would not notice.
func checkOld(path string, t target) error {
	f, err := os.OpenFile(t.file, os.O_WRONLY, 0)
	if err != nil {
		return explain(path, t.dir, err)
	}
	return f.Close()
}

// checkDir checks that the parent directory of a new file is one.
func checkDir(path, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e := usererr.File(path, 0, "create it, or "+elsewhere, "the directory %q does not exist", dir)
		e.Err = err
		return e
	case err != nil:
		return explain(path, dir, err)
	case !info.IsDir():
		return usererr.File(path, 0, elsewhere, "%q is not a directory", dir)
	}
	return nil
}

// followLinks returns the path that symbolic links lead to, which os.Stat found in no circle; the last one need not exist.
func followLinks(path string) string {
	const most = 40 // as Linux does
	for range most {
		to, err := os.Readlink(path)
		if err != nil { // no link
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// directoryFault is the error for an output path that names a directory.
func directoryFault(path string) error {
	return usererr.File(path, 0, "name a file in it, or "+elsewhere, "is a directory, not a file to write")
}

// explain turns err into a fault the user can mend where it is one; otherwise it wraps err. It keeps nil.
func explain(path, dir string, err error) error {
	if err == nil {
		return nil
	}
	fault := func(hint, format string, args ...any) error {
		e := usererr.File(path, 0, hint, format, args...)
		e.Err = err
		return e
	}
	var fill fillError
	switch {
	case errors.As(err, &fill):
		return fmt.Errorf("write %s: %w", path, fill.error)
	case usererr.Is(err):
		return err
	case errors.Is(err, syscall.ENOTDIR):
		return fault(elsewhere, "%q is not a directory", dir)
	case errors.Is(err, syscall.EROFS):
		return fault(elsewhere, "the file system is read-only")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fault("choose a shorter one", "the name is too long")
	case errors.Is(err, syscall.ELOOP):
		return fault(elsewhere, "the symbolic links lead in a circle")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault("free some space, or "+elsewhere, "the disk is full")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		// Some file systems, such as /proc, answer "does not exist" when asked to create a file.
		return fault("make it writable, or "+elsewhere, "no permission to write it, or to create a file in %q", dir)
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// syncDir makes a rename in dir durable. A file system or platform that cannot sync a directory is no fault: the
// content itself is synced already.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil // writable but not readable
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	if closeErr := d.Close(); err == nil {
		err = closeErr
	}
	return err
}
