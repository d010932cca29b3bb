package board

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits of the files that are dropped.
const (
	MaxDrop   = 64 << 20 // bytes of one; larger ones are for the command line
	mostName  = 200      // bytes of its name
	mostDrops = 20       // files kept; the oldest are removed
	mostWait  = 5        // files that wait for their turn
	longest   = 30 * time.Minute
)

type dropState struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"` // "waiting", "running", "done", "failed"
	Fault  string `json:"fault,omitempty"`
	Began  int64  `json:"began,omitempty"` // seconds since 1970
}

// drops are the files that were dropped. They are clustered one after another.
type drops struct {
	ctx     context.Context
	dir     string
	cluster func(ctx context.Context, path, page string) error
	turn    *semaphore.Weighted // of one
	running sync.WaitGroup

	mu    sync.Mutex
	count int
	all   []*dropState // the newest first
}

func (d *drops) states() []dropState {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := []dropState{}
	for _, one := range d.all {
		out = append(out, *one)
	}
	return out
}

// locked calls change, which changes the state of a file, under the lock.
func (d *drops) locked(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// take receives a file: the body of the request, named by the query's "name".
func (d *drops) take(w http.ResponseWriter, r *http.Request) {
	name := filepath.Base(filepath.Clean("/" + strings.ReplaceAll(r.URL.Query().Get("name"), "\\", "/")))
	if name == "/" || name == "." || strings.HasPrefix(name, ".") {
		refuse(w, http.StatusBadRequest, "the file has no name")
		return
	}
	if len(name) > mostName {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("the name is longer than %d bytes; shorten it", mostName))
		return
	}
	if r.ContentLength > MaxDrop {
		w.Header().Set("Connection", "close") // the rest of it is not read
		refuse(w, http.StatusRequestEntityTooLarge, tooLarge(name))
		return
	}
	one, path, err := d.add(name)
	if err != nil {
		refuse(w, http.StatusTooManyRequests, err.Error())
		return
	}
	if err := receive(path, http.MaxBytesReader(w, r.Body, MaxDrop)); err != nil {
		words, status := fmt.Sprintf("%s did not arrive (%v)", name, err), http.StatusBadRequest
		if large := new(http.MaxBytesError); errors.As(err, &large) {
			words, status = tooLarge(name), http.StatusRequestEntityTooLarge
		}
		d.locked(func() { one.Status, one.Fault = "failed", words })
		_ = os.RemoveAll(filepath.Dir(path))
		refuse(w, status, words)
		return
	}
	d.running.Add(1)
	go d.run(one, path)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_, _ = fmt.Fprintf(w, `{"id":%q}`, one.ID)
}

func tooLarge(name string) string {
	return fmt.Sprintf("%s is larger than %d MB, the most that can be dropped; run gfncp cluster %s --html look.html",
		name, MaxDrop>>20, name)
}

// add makes a folder for a file. If there are too many files, it removes the oldest that have ended.
func (d *drops) add(name string) (one *dropState, path string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	waiting := 0
	for _, other := range d.all {
		if other.Status == "waiting" {
			waiting++
		}
	}
	if waiting >= mostWait {
		return nil, "", fmt.Errorf("%d files wait already; drop it again later", waiting)
	}
	for at := len(d.all) - 1; at >= 0 && len(d.all) >= mostDrops; at-- {
		if s := d.all[at].Status; s == "done" || s == "failed" {
			_ = os.RemoveAll(filepath.Join(d.dir, d.all[at].ID))
			d.all = slices.Delete(d.all, at, at+1)
		}
	}
	d.count++
	one = &dropState{ID: strconv.Itoa(d.count), Name: name, Status: "waiting"}
	path = filepath.Join(d.dir, one.ID, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, "", fmt.Errorf("no place for the file: %w", err)
	}
	d.all = slices.Insert(d.all, 0, one)
	return one, path, nil
}

func receive(path string, body io.Reader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, body)
	return errors.Join(err, file.Close())
}

// run clusters a file when it is its turn.
func (d *drops) run(one *dropState, path string) {
	defer d.running.Done()
	if d.turn.Acquire(d.ctx, 1) != nil {
		return
	}
	defer d.turn.Release(1)
	d.locked(func() { one.Status, one.Began = "running", time.Now().Unix() })
	ctx, cancel := context.WithTimeout(d.ctx, longest)
	defer cancel()
	err := d.cluster(ctx, path, d.pageOf(one.ID))
	if ctx.Err() != nil && d.ctx.Err() == nil {
		err = fmt.Errorf("it took longer than %v; run gfncp cluster %s --html look.html", longest, one.Name)
	}
	d.locked(func() {
		if one.Status = "done"; err != nil {
			one.Status, one.Fault = "failed", strings.ReplaceAll(err.Error(), path, one.Name)
		}
	})
	_ = os.Remove(path)
}

func (d *drops) pageOf(id string) string { return filepath.Join(d.dir, id, "explorer.html") }

func (d *drops) page(w http.ResponseWriter, r *http.Request) {
	for _, one := range d.states() {
		if one.ID == r.PathValue("id") && one.Status == "done" {
			w.Header().Set("Content-Security-Policy", "frame-ancestors 'self'") // the page has its own policy
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			http.ServeFile(w, r, d.pageOf(one.ID))
			return
		}
	}
	refuse(w, http.StatusNotFound, "there is no such page; drop the file again")
}
