// Package page tests in a browser the page that clusters a table there.
package page

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/webtest/browser"
)

var (
	desk  = browser.Screen{Width: 1280, Height: 1000}
	phone = browser.Screen{Width: 420, Height: 1000, Dark: true}
)

const shown = "!document.querySelector('#result').hidden && frames[0].gfncp && frames[0].gfncp.plot"

// built is a folder with the page in page/, and the command, which are built once.
var built = sync.OnceValue(func() string {
	folder := must.M1(os.MkdirTemp("", "gfncp-page"))
	for _, line := range [][]string{
		{".ci/page.sh", filepath.Join(folder, "page")},
		{"go", "build", "-ldflags=-s -w", "-o", filepath.Join(folder, "gfncp"), "./cmd/gfncp"},
	} {
		build := exec.Command(line[0], line[1:]...)
		build.Dir, build.Env, build.Stderr = filepath.Join("..", ".."), append(os.Environ(), "GOFLAGS="), os.Stderr
		must.M(build.Run())
	}
	return folder
})

func TestMain(m *testing.M) {
	status := m.Run()
	if _, err := exec.LookPath("chromium"); err == nil {
		_ = os.RemoveAll(built())
	}
	os.Exit(status)
}

// open serves the page and opens it.
func open(t *testing.T, s browser.Screen) *browser.Tab {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("no chromium: apt-get install chromium")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(built(), "page"))))
	t.Cleanup(server.Close)
	return browser.Open(t, server.URL, s)
}

// rows are points around five centres, as a CSV file.
func rows(n int) string {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var b strings.Builder
	b.WriteString("width,height\n")
	for i := range n {
		k := i % 5
		fmt.Fprintf(&b, "%.3f,%.3f\n", float64(6*(k%3))+rng.NormFloat64(), float64(6*(k/3))+rng.NormFloat64())
	}
	return b.String()
}

// command is what gfncp cluster prints and writes of a file, without the line of what to do next.
func command(t *testing.T, name, content string) (report, html string) {
	t.Helper()
	dir := t.TempDir()
	must.M(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	run := exec.Command(filepath.Join(built(), "gfncp"), "cluster", name, "--html", "look.html", "--quiet")
	run.Dir = dir
	said, _ := run.CombinedOutput() // of a fault: the line of it
	report, _, _ = strings.Cut(string(said), "next: ")
	page, _ := os.ReadFile(filepath.Join(dir, "look.html"))
	return report, string(page)
}

// A dropped file gives what the command gives, to the byte.
func TestSameAnswer(t *testing.T) {
	points := string(must.M1(os.ReadFile(filepath.Join("..", "..", "examples", "points.csv"))))
	for _, file := range []struct{ name, content string }{
		{"points.csv", points}, {"150.csv", rows(150)}, {"2000.csv", rows(2000)},
	} {
		t.Run(file.name, func(t *testing.T) {
			b := open(t, desk)
			b.Drop("#zone", file.name, file.content)
			b.Await(shown)
			title, report := b.Text("#title"), browser.Value[string](b, "document.querySelector('#report').textContent")
			t.Logf("%s\n%s", title, report)
			wantReport, wantHTML := command(t, file.name, file.content)
			k := browser.Value[int](b, "frames[0].gfncp.data.k")
			if !strings.Contains(wantReport, fmt.Sprintf("\n%d clusters, probability", k)) {
				t.Errorf("the page finds %d clusters, the command says\n%s", k, wantReport)
			}
			html := browser.Value[string](b, "fetch(document.querySelector('#save').href).then(r => r.text())")
			if runtime.GOARCH == "amd64" && (report != wantReport || html != wantHTML) { // others round otherwise
				t.Errorf("the command says\n%s", wantReport)
			}
			b.Quiet()
		})
	}
}

// The options are the command's flags; a file is refused in the command's words, and the next one is clustered.
func TestFaultAndOptions(t *testing.T) {
	b := open(t, phone)
	bad := "x,y\n1,2\n3,€ 4\n5,6\n"
	b.Drop("#zone", "bad.csv", bad)
	b.Await("document.querySelector('#words').textContent.startsWith('bad.csv')")
	want, _ := command(t, "bad.csv", bad)
	if said := b.Text("#words"); "gfncp: "+said+"\n" != want {
		t.Errorf("the page says %q, the command %q", said, want)
	}
	path := filepath.Join(t.TempDir(), "150.csv")
	must.M(os.WriteFile(path, []byte(rows(150)), 0o644))
	b.Do("document.querySelector('details').open = true; document.querySelector('[name=k]').value = '2'")
	b.Upload("#file", path)
	b.Await(shown)
	if k := browser.Value[int](b, "frames[0].gfncp.data.k"); k != 2 || b.Text("#words") != "" {
		t.Errorf("with --k 2 there are %d clusters; it says %q", k, b.Text("#words"))
	}
	b.Fits()
	b.Quiet()
}

// Cancel ends the work at once, and the page takes the next file.
func TestCancel(t *testing.T) {
	b := open(t, desk)
	b.Drop("#zone", "150.csv", rows(150))
	b.Await("document.querySelector('#step').textContent.startsWith('sweeps of the chains')")
	b.Click("#cancel")
	b.Await("document.querySelector('#words').textContent === 'cancelled' && document.querySelector('#work').hidden")
	b.Do("await new Promise(done => setTimeout(done, 500))")
	if browser.Value[bool](b, "!document.querySelector('#result').hidden") {
		t.Error("an answer came after the end")
	}
	b.Drop("#zone", "again.csv", rows(150))
	b.Await(shown)
	if title := b.Text("#title"); !strings.HasPrefix(title, "again.csv: clustered in ") {
		t.Error(title)
	}
	b.Quiet()
}

// TestLook leaves pictures in the folder that GFNCP_PICTURES names, for people.
func TestLook(t *testing.T) {
	folder := os.Getenv("GFNCP_PICTURES")
	if folder == "" {
		t.Skip("GFNCP_PICTURES names no folder")
	}
	for _, s := range []browser.Screen{desk, phone} {
		b := open(t, s)
		keep := func(what string) {
			must.M(os.WriteFile(filepath.Join(folder, what+"-"+s.Name()+".png"), b.Picture(), 0o644))
		}
		keep("empty")
		b.Do("document.querySelector('details').open = true")
		b.Drop("#zone", "150.csv", rows(150))
		b.Await("document.querySelector('#step').textContent.startsWith('sweeps of the chains')")
		keep("work")
		b.Await(shown)
		keep("answer")
		b.Do("document.querySelector('#title').scrollIntoView()")
		keep("explorer")
	}
}
