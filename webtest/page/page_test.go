package page

import (
	"fmt"
	"math"
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
	"time"

	"github.com/janpfeifer/must"
	"github.com/parquet-go/parquet-go"
)

// clusters counts those that the explorer lists; 0 before it is shown.
const clusters = "(frames[0].document.querySelectorAll('#clusters li').length)"

// folder holds the page in page/, and the command gfncp, once build has been called.
var folder string

var build = sync.OnceFunc(func() {
	for _, line := range [][]string{
		{".ci/page.sh", filepath.Join(folder, "page")},
		{"go", "build", "-ldflags=-s -w", "-o", filepath.Join(folder, "gfncp"), "./cmd/gfncp"},
	} {
		build := exec.Command(line[0], line[1:]...)
		build.Dir, build.Stderr = filepath.Join("..", ".."), os.Stderr
		must.M(build.Run())
	}
})

func TestMain(m *testing.M) {
	folder = must.M1(os.MkdirTemp("", "gfncp-page"))
	status := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(status)
}

// openPage serves the page and opens it.
func openPage(t *testing.T, s Screen) *Tab {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("no chromium: apt-get install chromium")
	}
	build()
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(folder, "page"))))
	t.Cleanup(server.Close)
	return Open(t, server.URL, s)
}

// point is a row of a test's table.
type point struct{ Width, Height float64 }

// circle are n points around five centres in a circle.
func circle(n int) (all []point) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%5) / 5)
		all = append(all, point{6*cos + rng.NormFloat64(), 6*sin + rng.NormFloat64()})
	}
	return all
}

// rows are such points as a CSV file.
func rows(n int) string {
	var b strings.Builder
	b.WriteString("width,height\n")
	for _, p := range circle(n) {
		fmt.Fprintf(&b, "%.3f,%.3f\n", p.Width, p.Height)
	}
	return b.String()
}

// command is what gfncp cluster prints and writes of a file, without the line of what to do next.
func command(t *testing.T, name, content string) (report, html string) {
	t.Helper()
	dir := t.TempDir()
	must.M(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	run := exec.Command(filepath.Join(folder, "gfncp"), "cluster", name, "--html", "look.html", "--quiet")
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
			b := openPage(t, desk)
			b.Drop("#zone", file.name, file.content)
			b.Await(clusters)
			title, report := b.Text("#title"), Value[string](b, "document.querySelector('#report').textContent")
			start := time.Now()
			wantReport, wantHTML := command(t, file.name, file.content)
			t.Logf("%s, by the command in %.1f s\n%s", title, time.Since(start).Seconds(), report)
			k := Value[int](b, clusters)
			if !strings.Contains(wantReport, fmt.Sprintf("\n%d clusters, probability", k)) {
				t.Errorf("the page finds %d clusters, the command says\n%s", k, wantReport)
			}
			html := Value[string](b, "fetch(document.querySelector('#save').href).then(r => r.text())")
			if runtime.GOARCH == "amd64" && (report != wantReport || html != wantHTML) { // others round otherwise
				t.Errorf("the command says\n%s", wantReport)
			}
			b.Quiet()
		})
	}
}

// The options are the command's flags; a file is refused in the command's words, and the next one is clustered.
func TestFaultAndOptions(t *testing.T) {
	b := openPage(t, darkPhone)
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
	b.Await(clusters)
	if k := Value[int](b, clusters); k != 2 || b.Text("#words") != "" {
		t.Errorf("with --k 2 there are %d clusters; it says %q", k, b.Text("#words"))
	}
	b.Fits()
	b.Quiet()
}

// A Parquet file is read at many places, as by the command.
func TestParquet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "points.parquet")
	must.M(parquet.WriteFile(path, circle(150)))
	b := openPage(t, desk)
	b.Upload("#file", path)
	b.Await(clusters)
	if report := b.Text("#report"); !strings.HasPrefix(report, "points.parquet: 150 rows, 2 columns") ||
		!strings.Contains(report, "\n5 clusters, ") {
		t.Error(report)
	}
	b.Quiet()
}

// Cancel ends the work at once, and the page takes the next file.
func TestCancel(t *testing.T) {
	b := openPage(t, desk)
	b.Drop("#zone", "150.csv", rows(150))
	b.Await("document.querySelector('#step').textContent.startsWith('sweeps of the chains')")
	b.Click("#cancel")
	b.Await("document.querySelector('#words').textContent === 'cancelled' && document.querySelector('#work').hidden")
	b.Do("await new Promise(done => setTimeout(done, 500))")
	if Value[bool](b, "!document.querySelector('#result').hidden") {
		t.Error("an answer came after the end")
	}
	b.Drop("#zone", "again.csv", rows(150))
	b.Await(clusters)
	if title := b.Text("#title"); !strings.HasPrefix(title, "again.csv: clustered in ") {
		t.Error(title)
	}
	b.Quiet()
}

// The page looks as a person has seen it.
func TestPageLook(t *testing.T) {
	for _, s := range []Screen{desk, darkPhone} {
		b := openPage(t, s)
		b.Do("document.querySelector('details').open = true")
		b.Compare("page", s)
		b.Quiet()
	}
}
