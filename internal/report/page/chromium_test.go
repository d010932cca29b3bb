package page

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// chromium is where Debian installs it.
const chromium = "/usr/bin/chromium"

// browse opens a file in a headless Chromium, draws it into a PNG file, and returns the document as it became and what
// was logged.
func browse(t *testing.T, file, shot string) (document, log string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium,
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--enable-logging=stderr", "--virtual-time-budget=10000",
		"--user-data-dir="+t.TempDir(), "--window-size=1760,950", "--screenshot="+shot, "--dump-dom", "file://"+file)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, errs.String())
	}
	return out.String(), errs.String()
}

// measuring is the only script that ever runs in a page, in a copy of it: it opens what is closed, decodes every
// picture and tells the document around it how wide the window and the page are.
const measuring = `<script>
for (const d of document.querySelectorAll("details")) d.open = true;
Promise.all([...document.images].map(i => { i.loading = "eager"; return i.decode(); })).then(
  () => parent.postMessage(innerWidth + " wide, page " + document.scrollingElement.scrollWidth + ", pictures " +
	document.images.length, "*"),
  e => parent.postMessage("no picture: " + e, "*"));
</script>`

// frames show the copy as wide as a phone and as a desktop: a window of Chromium is never narrower than 500 pixels.
const frames = `<!DOCTYPE html><p id="measured"></p><script>
onmessage = e => document.getElementById("measured").append("[" + e.data + "]");
</script><iframe src="copy.html" width="420" height="900"></iframe><iframe src="copy.html" width="1280" height="900"></iframe>`

// longWordPage is the sample page with words that no line can hold.
func longWordPage() *Page {
	p := samplePage()
	word := strings.Repeat("long", 60)
	p.Title, p.Lead, p.Environment = word, "`"+word+"`", append(p.Environment, Fact{word, word})
	s := &p.Sections[0]
	s.Command, s.Table.Caption, s.Table.Footnotes = word, word, append(s.Table.Footnotes, word)
	s.Table.Cells[0].Data = word
	return p
}

// A browser shows the page without a complaint and decodes its pictures. Neither on a phone nor on a desktop is the
// page wider than the window: wide tables scroll in boxes of their own.
func TestPageInChromium(t *testing.T) {
	if _, err := os.Stat(chromium); err != nil {
		t.Skip("no " + chromium + ": apt-get install chromium")
	}
	var b bytes.Buffer
	must.M(longWordPage().HTML(&b))
	scripted := strings.Replace(b.String(), "default-src 'none'", "default-src 'none'; script-src 'unsafe-inline'", 1)
	dir := t.TempDir()
	must.M(os.WriteFile(filepath.Join(dir, "copy.html"),
		[]byte(strings.Replace(scripted, "</body>", measuring+"</body>", 1)), 0o644))
	must.M(os.WriteFile(filepath.Join(dir, "frames.html"), []byte(frames), 0o644))
	shot := filepath.Join(dir, "frames.png")
	document, log := browse(t, filepath.Join(dir, "frames.html"), shot)
	for _, want := range []string{"[420 wide, page 420, pictures 2]", "[1280 wide, page 1280, pictures 2]"} {
		if !strings.Contains(document, want) {
			t.Errorf("the document lacks %q: %s", want, document)
		}
	}
	if strings.Contains(log, "CONSOLE") {
		t.Errorf("the browser complains:\n%s", log)
	}
	img := must.M1(png.Decode(bytes.NewReader(must.M1(os.ReadFile(shot)))))
	for _, frame := range []image.Rectangle{image.Rect(20, 40, 420, 900), image.Rect(450, 40, 1730, 900)} {
		colours := map[color.Color]bool{}
		for y := frame.Min.Y; y < frame.Max.Y; y++ {
			for x := frame.Min.X; x < frame.Max.X; x++ {
				colours[img.At(x, y)] = true
			}
		}
		if len(colours) < 50 { // the blue of links and the greys of letters' edges; an empty frame has one
			t.Errorf("the frame at %v shows %d colours", frame, len(colours))
		}
	}
}
