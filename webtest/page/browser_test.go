// Package page tests the pages in a headless Chromium: that of a clustering, the board, and the one that clusters in
// the browser. Tests without Chromium are skipped.
package page

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/janpfeifer/must"
)

// patience is how long anything in a page may take: machines that test are busy.
const patience = 45 * time.Second

// Screen is what a page is shown on.
type Screen struct {
	Width, Height int
	Dark          bool
}

// Name is a word for the screen, for files.
func (s Screen) Name() string {
	theme := "light"
	if s.Dark {
		theme = "dark"
	}
	return fmt.Sprintf("%s-%d", theme, s.Width)
}

// Tab is a page in a browser.
type Tab struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

// Open opens a page in a browser of its own, which ends with the test. A test without Chromium is skipped.
func Open(t *testing.T, url string, s Screen) *Tab {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(patience),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("force-device-scale-factor", "1"),
		chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("disable-lcd-text", true))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	whole, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		_ = chromedp.Cancel(whole) // and wait, so that the folder of the browser can go
		cancel()
	})
	must.M(chromedp.Do(whole))
	b := &Tab{t: t}
	b.ctx, cancel = context.WithTimeout(whole, 4*patience)
	t.Cleanup(cancel)
	must.M(chromedp.Listen(b.ctx, b.hear))
	b.do(chromedp.EmulateViewport(int64(s.Width), int64(s.Height)), theme(s.Dark), chromedp.Navigate(url))
	return b
}

// theme sets what the page is told of the user's preferences.
func theme(dark bool) chromedp.Action[chromedp.Void] {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
			},
		})
		return err
	})
}

// Theme changes the theme of the page that is open.
func (b *Tab) Theme(dark bool) {
	b.t.Helper()
	b.do(theme(dark))
}

// hear keeps what the page complains of.
func (b *Tab) hear(event any) {
	words := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		words = e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			words += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		words = fmt.Sprint(e.Type)
		for _, a := range e.Args {
			words += " " + string(a.Value) + a.Description
		}
	case *log.EventEntryAdded:
		words = e.Entry.Text + " " + e.Entry.URL
	case *page.EventJavascriptDialogOpening:
		words = "dialog: " + e.Message
	}
	if words != "" {
		b.mu.Lock()
		b.complaints = append(b.complaints, words)
		b.mu.Unlock()
	}
}

// Complaints are what the page has complained of so far, which it forgets.
func (b *Tab) Complaints() (all []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, b.complaints = b.complaints, nil
	return all
}

// Quiet fails the test if the page has complained.
func (b *Tab) Quiet() {
	b.t.Helper()
	if all := b.Complaints(); len(all) > 0 {
		b.t.Errorf("the page complains: %s", strings.Join(all, "\n"))
	}
}

func (b *Tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatalf("browser: %v", err)
	}
}

// Value is the value of an expression of the page's language; a promise is awaited.
func Value[T any](b *Tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("browser: %s: %v", expression, err)
	}
	return value
}

// Do runs statements in the page.
func (b *Tab) Do(statements string) {
	b.t.Helper()
	Value[bool](b, "(async () => { "+statements+"; return true; })()")
}

// Text is the text of an element that people see.
func (b *Tab) Text(selector string) string {
	b.t.Helper()
	return Value[string](b, fmt.Sprintf("document.querySelector(%q).innerText", selector))
}

// Await waits until an expression is true.
func (b *Tab) Await(expression string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[chromedp.Void]("!!("+expression+")",
		chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(patience)))
	if err != nil {
		b.t.Fatalf("browser: %s has not come true (%v); the page complains of %q and says:\n%s", expression, err,
			b.Complaints(), b.Text("body"))
	}
}

// Click clicks an element in its middle, with the mouse.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.do(chromedp.ScrollIntoView(selector), chromedp.Click(selector))
}

// Point is a place in the window, in CSS pixels.
type Point struct{ X, Y float64 }

// At is the place in the window of a point of an element, from its corner.
func (b *Tab) At(selector string, x, y float64) Point {
	b.t.Helper()
	at := Value[[]float64](b, fmt.Sprintf(
		"(r => [r.left, r.top])(document.querySelector(%q).getBoundingClientRect())", selector))
	return Point{at[0] + x, at[1] + y}
}

// Hover moves the mouse to a place.
func (b *Tab) Hover(p Point) {
	b.t.Helper()
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, p.X, p.Y))
}

// Press clicks at a place.
func (b *Tab) Press(p Point) {
	b.t.Helper()
	b.do(chromedp.MouseClickXY(p.X, p.Y))
}

// Drag presses the mouse at a place and lets it go at another.
func (b *Tab) Drag(from, to Point) {
	b.t.Helper()
	b.do(chromedp.DragAndDropXY(from.X, from.Y, to.X, to.Y, 4))
}

// Keys presses keys, as package kb of chromedp writes them.
func (b *Tab) Keys(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// Focus moves the focus of the keyboard to an element.
func (b *Tab) Focus(selector string) {
	b.t.Helper()
	b.do(chromedp.Focus(selector))
}

// Upload gives files to an input of files, as its dialog does.
func (b *Tab) Upload(selector string, paths ...string) {
	b.t.Helper()
	b.do(chromedp.SetUploadFiles(selector, paths))
}

// Drop drops a file on an element, by the events that a browser sends.
func (b *Tab) Drop(selector, name, content string) {
	b.t.Helper()
	b.Do(fmt.Sprintf(`const transfer = new DataTransfer();
		transfer.items.add(new File([%q], %q));
		for (const type of ["dragenter", "dragover", "drop"])
			document.querySelector(%q).dispatchEvent(
				new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }))`, content, name, selector))
}

// Picture is the window as a PNG file.
func (b *Tab) Picture() []byte {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatalf("browser: %v", err)
	}
	return picture
}

// Fits fails the test if the page is wider than its window.
func (b *Tab) Fits() {
	b.t.Helper()
	if wide := Value[[]int](b, "[innerWidth, document.scrollingElement.scrollWidth]"); wide[1] > wide[0] {
		b.t.Errorf("the page is %d wide in a window of %d", wide[1], wide[0])
	}
}
