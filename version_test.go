package gfncp

import (
	"os"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// Version is semantic; the citation and the changelog's top heading name it.
func TestVersion(t *testing.T) {
	if strings.Count(Version, ".") != 2 {
		t.Errorf("%q is no semantic version", Version)
	}
	if text := string(must.M1(os.ReadFile("CITATION.cff"))); !strings.Contains(text, "\nversion: "+Version+"\n") {
		t.Errorf("CITATION.cff names another version than %s", Version)
	}
	_, top, _ := strings.Cut(string(must.M1(os.ReadFile("CHANGELOG.md"))), "\n## ")
	if !strings.HasPrefix(top, Version+", ") {
		t.Errorf("the changelog begins with %.20q, not with %s", top, Version)
	}
}
