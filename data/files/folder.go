package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// isPictureName reports whether a file's name says that it is a PNG or JPEG image.
func isPictureName(name string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg"}, strings.ToLower(filepath.Ext(name)))
}

// openFolder makes a pool of the images in a folder and its sub-folders.
func openFolder(folder string, o Options) (*data.Pool, *Conversion, error) {
	names, skipped, err := listPictures(folder)
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		return nil, nil, usererr.File(folder, 0, kinds, "the folder holds no PNG or JPEG image (%s)", text.Count(len(skipped), "other file"))
	}
	c := newCollector(folder, "folder of images", o)
	c.conv.Skipped = skipped
	for _, name := range names {
		p, err := readPicture(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return nil, nil, err
		}
		if err := c.add(name, p); err != nil {
			return nil, nil, err
		}
	}
	pool, conv := c.finish()
	if pool.Labels, pool.Classes = folderLabels(names); pool.Labels != nil {
		conv.Labels = "the names of " + text.Count(len(pool.Classes), "sub-folder")
	}
	return pool, conv, nil
}

// listPictures returns the paths of the images and of the other files in a folder, relative to it, with slashes, sorted.
// Hidden files and folders are left out. Links to files are followed, links to folders count as other files.
func listPictures(folder string) (pictures, others []string, err error) {
	root := os.DirFS(folder)
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fileio.OpenFault(filepath.Join(folder, filepath.FromSlash(name)), fileio.WithoutPath(err))
		}
		hidden := name != "." && strings.HasPrefix(entry.Name(), ".")
		switch {
		case hidden && entry.IsDir():
			return fs.SkipDir
		case hidden || entry.IsDir():
		case isPictureName(name) && isFile(root, name, entry):
			pictures = append(pictures, name)
		default:
			others = append(others, name)
		}
		return nil
	})
	slices.Sort(pictures) // the walk goes folder by folder, which is another order
	slices.Sort(others)
	return pictures, others, err
}

// isFile reports whether an entry is a file, or a link to one, and not a folder, a pipe or a device.
func isFile(root fs.FS, name string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.Type().IsRegular()
	}
	info, err := fs.Stat(root, name)
	return err == nil && info.Mode().IsRegular()
}

// folderLabels labels images by the first-level sub-folder in which they lie, in order of first appearance; nil if not
// every image lies directly in one.
func folderLabels(names []string) (labels []int32, classes []string) {
	index := map[string]int32{}
	for _, name := range names {
		class, rest, in := strings.Cut(name, "/")
		if !in || strings.Contains(rest, "/") {
			return nil, nil
		}
		label, known := index[class]
		if !known {
			label = int32(len(classes))
			index[class] = label
			classes = append(classes, class)
		}
		labels = append(labels, label)
	}
	return labels, classes
}

// labelsBeside returns the path of the labels file that belongs to an IDX images file, or "" if there is none.
func labelsBeside(path string) (string, error) {
	base := filepath.Base(path)
	other := strings.Replace(base, "images-idx3", "labels-idx1", 1)
	if other == base {
		return "", nil
	}
	for _, name := range []string{other, strings.TrimSuffix(other, ".gz"), other + ".gz"} {
		found, err := besideFile(filepath.Join(filepath.Dir(path), name))
		if found != "" || err != nil {
			return found, err
		}
	}
	return "", nil
}

// besideFile returns path if a file of labels is there, else "".
func besideFile(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.Mode().IsRegular():
		return path, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("look for labels: %w", err)
	}
	return "", nil
}
