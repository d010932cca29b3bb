package vision

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// touch makes files, with their folders.
func touch(root string, names ...string) {
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		must.M(os.MkdirAll(filepath.Dir(path), 0o755))
		must.M(os.WriteFile(path, []byte(name), 0o644))
	}
}

// listed is the classes with their images, relative to the folder.
func listed(root string, classes []Class) (all []string) {
	for _, c := range classes {
		all = append(all, c.Name+":")
		for _, path := range c.Images {
			all = append(all, filepath.ToSlash(must.M1(filepath.Rel(root, path))))
		}
	}
	return all
}

// The classes are the sub-folders in the order of their names, with their images in the order of theirs; or those of
// a list, in its order, each by the first word of its line if the line is no folder.
func TestListClasses(t *testing.T) {
	root := t.TempDir()
	touch(root, "n02/b.JPEG", "n02/a.jpg", "n02/notes.txt", "n02/.hidden.png",
		"n01/images/x.png", "n01/y.Png", "with blank/1.jpeg",
		"loose.jpg", ".git/z.png", "empty/none.txt")
	list := filepath.Join(root, "list.txt")
	must.M(os.WriteFile(list, []byte("# two of them\r\nn02 robin, a bird\r\n\r\n  with blank\nn01\n"), 0o644))

	_, err := ListClasses(root, "", 0)
	wantUserError(t, err, filepath.Join(root, "empty"), "no PNG or JPEG image")
	must.M(os.RemoveAll(filepath.Join(root, "empty")))
	for _, test := range []struct {
		list  string
		limit int
		want  []string
	}{
		{
			"", 0,
			[]string{
				"n01:", "n01/images/x.png", "n01/y.Png", "n02:", "n02/a.jpg",
				"n02/b.JPEG", "with blank:", "with blank/1.jpeg",
			},
		},
		{
			list, 0,
			[]string{
				"n02:", "n02/a.jpg", "n02/b.JPEG", "with blank:",
				"with blank/1.jpeg", "n01:", "n01/images/x.png", "n01/y.Png",
			},
		},
		{"", 1, []string{"n01:", "n01/images/x.png", "n02:", "n02/a.jpg", "with blank:", "with blank/1.jpeg"}},
	} {
		if got := listed(root, must.M1(ListClasses(root, test.list, test.limit))); !slices.Equal(got, test.want) {
			t.Errorf("list %q, limit %d: %v\nwant %v", test.list, test.limit, got, test.want)
		}
	}
}

func TestListClassesFaults(t *testing.T) {
	root := t.TempDir()
	touch(root, "a/1.png", "b/1.png")
	text := func(content string) string {
		path := filepath.Join(t.TempDir(), "list.txt")
		must.M(os.WriteFile(path, []byte(content), 0o644))
		return path
	}
	for _, test := range []struct {
		folder, list string
		words        []string
	}{
		{filepath.Join(root, "none"), "", []string{"none", "no such folder"}},
		{filepath.Join(root, "a"), "", []string{"no sub-folder"}},
		{filepath.Join(root, "a", "1.png"), "", []string{"1.png"}},
		{root, filepath.Join(root, "none.txt"), []string{"none.txt"}},
		{root, text("a\n\nc robin\n"), []string{"list.txt:3", `no sub-folder "c"`}},
		{root, text("a\nb\na\n"), []string{"list.txt:3", `"a" is listed twice`}},
		{root, text("# nothing\n"), []string{"lists no class"}},
	} {
		_, err := ListClasses(test.folder, test.list, 0)
		wantUserError(t, err, test.words...)
	}
}

// The fingerprint, by which parts are used again, tells names and sizes of the images.
func TestFingerprint(t *testing.T) {
	root := t.TempDir()
	touch(root, "a/1.png", "a/2.png")
	of := func(limit int) string { return must.M1(ListClasses(root, "", limit))[0].fingerprint }
	first := of(0)
	if of(0) != first || of(1) == first {
		t.Error("the fingerprint is not that of the images")
	}
	must.M(os.WriteFile(filepath.Join(root, "a", "2.png"), []byte("longer than before"), 0o644))
	longer := of(0)
	touch(root, "a/3.png")
	if longer == first || of(0) == longer {
		t.Error("another size or another image leaves the fingerprint")
	}
}
