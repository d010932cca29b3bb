package programs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/testfiles"
)

func TestKeysDiffer(t *testing.T) {
	known := map[string]bool{}
	for _, parts := range [][]string{nil, {""}, {"ab"}, {"a", "b"}, {"b", "a"}, {"", "ab"}, {"ab", ""}} {
		known[Key(parts...)] = true
	}
	known[Key("a", "b")] = true
	if len(known) != 7 {
		t.Errorf("%d keys, want 7", len(known))
	}
}

// What was put in comes out; a file that was cut, changed, renamed or written by another program does not.
func TestDamagedEntriesAreMissing(t *testing.T) {
	s := &Store{Folder: filepath.Join(t.TempDir(), "new/folder"), Most: 1 << 20}
	key, executable := Key("a"), []byte("machine code")
	if _, found := s.Get(key); found {
		t.Error("an entry of an empty folder")
	}
	must.M(s.Put(key, executable))
	got, found := s.Get(key)
	if !found || !bytes.Equal(got, executable) {
		t.Fatalf("got %q, %v", got, found)
	}
	path := s.path(key)
	whole := must.M1(os.ReadFile(path))
	for at := range whole {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		must.M(os.WriteFile(path, damaged, 0o644))
		if _, found := s.Get(key); found {
			t.Errorf("byte %d was changed", at)
		}
		must.M(os.WriteFile(path, whole[:at], 0o644))
		if _, found := s.Get(key); found {
			t.Errorf("cut to %d bytes", at)
		}
	}
	must.M(os.WriteFile(path, whole, 0o644))
	must.M(os.Rename(path, s.path(Key("b"))))
	if _, found := s.Get(Key("b")); found {
		t.Error("a renamed entry")
	}
}

// The longest unused entries go first; other files stay.
func TestStoreIsBounded(t *testing.T) {
	s := &Store{Folder: t.TempDir(), Most: 3 * (1000 + 48)}
	other := testfiles.Write(t, make([]byte, 10000), s.Folder, "other")
	for i := range 3 {
		must.M(s.Put(fmt.Sprint(i), make([]byte, 1000)))
		then := time.Now().Add(time.Duration(i-10) * time.Hour)
		must.M(os.Chtimes(s.path(fmt.Sprint(i)), then, then))
	}
	if _, found := s.Get("0"); !found { // used now
		t.Error("entry 0 is missing")
	}
	must.M(s.Put("3", make([]byte, 1000)))
	for i, want := range []bool{true, false, true, true} {
		if _, found := s.Get(fmt.Sprint(i)); found != want {
			t.Errorf("entry %d is there: %v", i, found)
		}
	}
	must.M1(os.Stat(other))
}

// Several writers and readers of the same entries disturb each other by no damaged entry and no error.
func TestSeveralAtOnce(t *testing.T) {
	folder := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		s := &Store{Folder: folder, Most: 5000}
		wg.Go(func() {
			for i := range 40 {
				key := fmt.Sprint(i % 7)
				want := bytes.Repeat([]byte(key), 1000)
				if got, found := s.Get(key); found && !bytes.Equal(got, want) {
					t.Errorf("entry %s is %q…", key, got[:10])
				}
				if err := s.Put(key, want); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestPutSaysWhatIsWrong(t *testing.T) {
	file := testfiles.Write(t, nil, t.TempDir(), "file")
	if err := (&Store{Folder: filepath.Join(file, "x"), Most: 1}).Put("a", nil); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func TestFileIdentity(t *testing.T) {
	dir := t.TempDir()
	a, b := testfiles.Write(t, []byte("plugin"), dir, "a"), testfiles.Write(t, []byte("plugins"), dir, "b")
	before := must.M1(FileIdentity(a))
	if before != must.M1(FileIdentity(a)) || before == must.M1(FileIdentity(b)) {
		t.Error("one file differs from itself, or two do not")
	}
	must.M(os.Chtimes(a, time.Time{}, time.Now().Add(time.Hour)))
	if before == must.M1(FileIdentity(a)) {
		t.Error("a file that was written anew is the same")
	}
	if _, err := FileIdentity(filepath.Join(dir, "c")); err == nil {
		t.Error("no file has an identity")
	}
}
