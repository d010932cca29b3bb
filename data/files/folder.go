package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

func isPictureName(name string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg"}, strings.ToLower(filepath.Ext(name)))
}

func readFolder(folder string, o Options) (*Input, error) {
	names, skipped, err := listPictures(folder)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, usererr.File(folder, 0, "give a folder of images, or name a file of points", "the folder holds no PNG or JPEG image (%s)", text.Count(len(skipped), "other file"))
	}
	c := newCollector(folder, "folder of images", o)
	c.in.Images.Skipped = skipped
	for _, name := range names {
		p, err := readPicture(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if err := c.add(name, p); err != nil {
			return nil, err
		}
	}
	in := c.finish()
	if in.Labels, in.Classes = folderLabels(names); in.Labels != nil {
		in.LabelsFrom = "the names of " + text.Count(len(in.Classes), "sub-folder")
	}
	return in, nil
}

// ListPictures returns the paths of the PNG and JPEG images, by name, in a folder and its sub-folders, relative to it,
// with slashes, sorted. Hidden files and folders are left out. Links to files are followed, links to folders are not.
func ListPictures(folder string) ([]string, error) {
	pictures, _, err := listPictures(folder)
	return pictures, err
}

// listPictures is ListPictures; links to folders count as other files.
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

// folderLabels labels images by the sub-folder in which they lie; nil if not every one lies directly in one.
func folderLabels(names []string) (labels []int32, classes []string) {
	var list classList
	for _, name := range names {
		class, rest, in := strings.Cut(name, "/")
		if !in || strings.Contains(rest, "/") {
			return nil, nil
		}
		list.add(class)
	}
	return list.labels, list.classes
}
