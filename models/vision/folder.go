package vision

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Class is one class of a folder of images: the images in one of its sub-folders.
type Class struct {
	Name   string   // the sub-folder's name
	Images []string // paths of the images, sorted

	fingerprint string // of the images' names and sizes
}

// ListClasses lists the classes of a folder whose sub-folders are classes, as ImageNet's are (DIR/n01440764/*.JPEG):
// all of them in the order of their names, or those that the file list names, one a line, in its order. limit is the
// largest number of images of a class, the first in the order of their names; 0 means all.
//
// Files directly in the folder, hidden ones and other kinds of files do not count. A class without images is a
// *usererr.Error, and so is a folder without classes.
func ListClasses(folder, list string, limit int) ([]Class, error) {
	folders, err := subFolders(folder)
	if err != nil {
		return nil, err
	}
	if len(folders) == 0 {
		return nil, usererr.File(folder, 0, "give the folder that holds a sub-folder for each class",
			"has no sub-folder")
	}
	if list != "" {
		if folders, err = readClassList(list, folder, folders); err != nil {
			return nil, err
		}
	}
	classes := make([]Class, len(folders))
	for i, name := range folders {
		if classes[i], err = listClass(folder, name, limit); err != nil {
			return nil, err
		}
	}
	return classes, nil
}

// subFolders are the names of the sub-folders, links to folders included, in order.
func subFolders(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usererr.File(folder, 0, "check the path", "no such folder")
	case err != nil:
		return nil, usererr.File(folder, 0, "give a readable folder with a sub-folder for each class",
			"cannot be read: %v", err)
	}
	var names []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if info, err := os.Stat(filepath.Join(folder, entry.Name())); err == nil && info.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// readClassList reads a list of sub-folders, one a line; what follows the name after a blank is a description, as in
// the lists of SCAN (Van Gansbeke et al. 2020). Empty lines and those that begin with # are left out. A name that is
// not one of known, the sub-folders of folder, and one that is repeated, is a *usererr.Error that names the line.
func readClassList(path, folder string, known []string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usererr.File(path, 0, "give a file with the name of a sub-folder on each line",
			"cannot be read: %v", err)
	}
	defer func() { _ = f.Close() }()
	var names []string
	lines := bufio.NewScanner(f)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name := line
		if !slices.Contains(known, name) { // a folder's name may contain blanks
			name = strings.Fields(line)[0]
		}
		switch {
		case !slices.Contains(known, name):
			return nil, usererr.File(path, number, "correct or remove the line",
				"%s has no sub-folder %q", folder, name)
		case slices.Contains(names, name):
			return nil, usererr.File(path, number, "remove the line", "class %q is listed twice", name)
		}
		names = append(names, name)
	}
	if err := lines.Err(); err != nil {
		return nil, usererr.File(path, 0, "give a text file", "cannot be read: %v", err)
	}
	if len(names) == 0 {
		return nil, usererr.File(path, 0, "name a sub-folder on each line", "lists no class")
	}
	return names, nil
}

func listClass(folder, name string, limit int) (Class, error) {
	root := filepath.Join(folder, name)
	names, err := files.ListPictures(root)
	if err != nil {
		return Class{}, err
	}
	if len(names) == 0 {
		return Class{}, usererr.File(root, 0, "remove the folder, or leave it out with --classes",
			"the class has no PNG or JPEG image")
	}
	if limit > 0 {
		names = names[:min(limit, len(names))]
	}
	c := Class{Name: name}
	h := sha256.New()
	for _, image := range names {
		path := filepath.Join(root, filepath.FromSlash(image))
		info, err := os.Stat(path)
		if err != nil {
			return Class{}, fmt.Errorf("list images: %w", err)
		}
		fmt.Fprintf(h, "%q %d\n", image, info.Size())
		c.Images = append(c.Images, path)
	}
	c.fingerprint = fmt.Sprintf("%x", h.Sum(nil))
	return c, nil
}
