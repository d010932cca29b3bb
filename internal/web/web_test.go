package web

import (
	"strings"
	"testing"
)

// Our scripts can stand in a page, and Chart.js with its licence is below the size that the pages may have.
func TestScripts(t *testing.T) {
	for _, source := range []string{Chart, Common} {
		if element := string(Element(source)); !strings.HasPrefix(element, "<script>") {
			t.Errorf("an element begins with %.20s", element)
		}
	}
	if len(Chart) > 500_000 || !strings.Contains(Chart[:200], "Chart.js v4.6.1") {
		t.Errorf("Chart.js has %d bytes and begins with %.100s", len(Chart), Chart)
	}
	policy := Policy([]string{Common})
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'sha256-") || strings.Contains(policy, "http") {
		t.Error(policy)
	}
}
