package pjrtapi

import (
	"strings"
	"testing"
)

// A plugin whose API has another first number is refused, with its file and a remedy.
func TestOtherAPI(t *testing.T) {
	if err := (Version{0, 300}).spoken("file"); err != nil {
		t.Error(err)
	}
	err := Version{1, 0}.spoken("file.so")
	if err == nil || !strings.Contains(err.Error(), "file.so has API 1.0") || !strings.Contains(err.Error(), "take a plugin") {
		t.Error(err)
	}
}
