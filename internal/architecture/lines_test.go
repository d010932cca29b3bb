package architecture_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/janpfeifer/must"
)

const (
	mostColumns = 120
	tabColumns  = 4
)

// No line of Go is wider than 120 columns, with four for a tab, but inside a raw string of several lines, where a line
// end belongs to the value.
func TestLineWidth(t *testing.T) {
	files := 0
	must.M(filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && strings.HasPrefix(name, ".") && name != ".." {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		files++
		for _, line := range wideLines(must.M1(os.ReadFile(path))) {
			t.Errorf("%s:%d: wider than %d columns", path, line, mostColumns)
		}
		return nil
	}))
	if files < 500 {
		t.Errorf("%d files were read, but the module has more", files)
	}
}

func TestWideLines(t *testing.T) {
	wide := strings.Repeat("x", mostColumns)
	for source, want := range map[string][]int{
		"var " + wide[4:]:   nil,
		"\nvar " + wide[3:]: {2},
		"\t" + wide[4:]:     nil,
		"\t" + wide[3:]:     {1},
		"//" + strings.Repeat("é", mostColumns-2):       nil,
		"/*\n" + wide + "x\n*/":                         {2},
		"var s = `" + wide + "`\n":                      {1},
		"var s = `\n" + wide + "x\n" + wide + "`+y\n\n": nil,
		"var s = `\n`\n//" + wide:                       {3},
	} {
		if got := wideLines([]byte(source)); !slices.Equal(got, want) {
			t.Errorf("%q: lines %v are wide, want %v", source, got, want)
		}
	}
}

// wideLines returns the numbers of the lines of a Go source that are too wide, from 1.
func wideLines(source []byte) []int {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, source, nil, 0)
	raw := map[int]bool{}
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			break
		}
		if first, more := file.Line(at), strings.Count(text, "\n"); kind == token.STRING && more > 0 {
			for i := range more + 1 {
				raw[first+i] = true
			}
		}
	}
	var wide []int
	for i, line := range bytes.Split(source, []byte("\n")) {
		columns := utf8.RuneCount(line) + (tabColumns-1)*bytes.Count(line, []byte("\t"))
		if columns > mostColumns && !raw[i+1] {
			wide = append(wide, i+1)
		}
	}
	return wide
}
