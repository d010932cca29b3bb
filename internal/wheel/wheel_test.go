package wheel_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/internal/wheel"
)

// linux is the tag of most wheels.
const linux = "manylinux_2_27_x86_64"

var content = bytes.Repeat([]byte("content "), 100)

// All files but those about the wheel are unpacked, and may be run by all if they may be run.
func TestUnpack(t *testing.T) {
	w := must.M1(wheel.Open(testfiles.Wheel(t, linux, map[string][]byte{"a/b/tool": content, "c": nil})))
	folder := t.TempDir()
	must.M(w.Unpack(folder))
	must.M(w.Close())
	got := must.M1(os.ReadFile(filepath.Join(folder, "a/b/tool")))
	info := must.M1(os.Stat(filepath.Join(folder, "a/b/tool")))
	names := must.M1(os.ReadDir(folder))
	if !bytes.Equal(got, content) || info.Mode().Perm() != 0o755 || len(names) != 2 {
		t.Errorf("%q with %v; in the folder %v", got, info.Mode(), names)
	}
}

// A wheel is for the platforms of its tag, which may be several joined by dots.
func TestPlatforms(t *testing.T) {
	for tag, machines := range map[string]string{
		linux: "linux/amd64",
		"manylinux2014_x86_64.manylinux_2_17_x86_64": "linux/amd64",
		"manylinux_2_27_aarch64":                     "linux/arm64",
		"musllinux_1_2_x86_64":                       "",
		"win_amd64":                                  "",
		"macosx_11_0_arm64":                          "darwin/arm64",
		"macosx_10_9_universal2":                     "darwin/amd64 darwin/arm64",
		"any":                                        "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64",
	} {
		path := testfiles.Wheel(t, tag, nil)
		w := must.M1(wheel.Open(path))
		for _, machine := range []string{
			"linux/amd64", "linux/arm64", "linux/386", "darwin/amd64", "darwin/arm64", "windows/amd64",
		} {
			goos, goarch, _ := strings.Cut(machine, "/")
			err := w.For(goos, goarch)
			if fits := err == nil; fits != strings.Contains(machines, machine) && !(tag == "any" && fits) {
				t.Errorf("%s on %s: %v", tag, machine, err)
			}
			if err == nil {
				continue
			}
			says := err.Error()
			if !usererr.Is(err) || !strings.HasPrefix(says, path+": a wheel of another platform") ||
				!strings.HasSuffix(says, "; take the wheel for "+machine) {
				t.Errorf("%s on %s: %v", tag, machine, err)
			}
		}
		must.M(w.Close())
	}
}

// Every damage, at whatever place a file is cut or changed, is a usererr.Error that names the file, and so is what is
// no wheel.
func TestDamage(t *testing.T) {
	path := testfiles.Wheel(t, linux, map[string][]byte{"a/library.so": content})
	whole := must.M1(os.ReadFile(path))
	open := func(raw []byte) error {
		must.M(os.WriteFile(path, raw, 0o600))
		w, err := wheel.Open(path)
		if err == nil {
			err = w.Unpack(t.TempDir())
			must.M(w.Close())
		}
		return err
	}
	must.M(open(whole))
	for cut := 0; cut < len(whole); cut += 97 {
		if err := open(whole[:cut]); !usererr.Is(err) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	changed := bytes.Replace(whole, []byte("content content"), []byte("content cOntent"), 1)
	if err := open(changed); !usererr.Is(err) || !strings.Contains(err.Error(), "a/library.so in it is damaged") {
		t.Errorf("changed: %v", err)
	}
	if err := open(replaced(whole, "a/library.so", "other")); !usererr.Is(err) ||
		!strings.Contains(err.Error(), "a/library.so in it has not the SHA-256") {
		t.Errorf("another file: %v", err)
	}
	out := must.M1(os.ReadFile(testfiles.Wheel(t, linux, map[string][]byte{"../out": content})))
	if err := open(out); !usererr.Is(err) || !strings.Contains(err.Error(), "no plain file below a folder") {
		t.Errorf("a path that leads out: %v", err)
	}
	for _, list := range []string{"WHEEL", "RECORD"} {
		err := open(bytes.ReplaceAll(whole, []byte("dist-info/"+list), []byte("dist-info/"+strings.ToLower(list))))
		if !usererr.Is(err) || !strings.Contains(err.Error(), "it has no "+list) {
			t.Errorf("without %s: %v", list, err)
		}
	}
	for _, missing := range []string{filepath.Join(t.TempDir(), "none.whl"), t.TempDir()} {
		if _, err := wheel.Open(missing); !usererr.Is(err) || !strings.HasPrefix(err.Error(), missing) {
			t.Errorf("%s: %v", missing, err)
		}
	}
}

// replaced is a zip archive with another content of a file.
func replaced(archive []byte, name, content string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range must.M1(zip.NewReader(bytes.NewReader(archive), int64(len(archive)))).File {
		if f.Name == name {
			must.M1(must.M1(w.Create(name)).Write([]byte(content)))
		} else {
			must.M(w.Copy(f))
		}
	}
	must.M(w.Close())
	return out.Bytes()
}
