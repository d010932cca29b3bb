package board

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// endless is a body that never ends.
type endless struct{ sent int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.sent += int64(len(p))
	return len(p), nil
}

// waitFor waits until no file of the board is worked on.
func waitFor(t *testing.T, b *Board) []dropState {
	t.Helper()
	for range 3000 {
		states, busy := b.drops.states(), false
		for _, s := range states {
			busy = busy || s.Status == "running" || s.Status == "waiting"
		}
		if !busy {
			return states
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the files are never done")
	return nil
}

// A file is clustered and its page served; one that cannot be says why, by its own name, and the others go on.
func TestDrop(t *testing.T) {
	b := &Board{}
	url := serve(t, b)
	post := func(name, body string) (int, string) {
		status, text, _ := ask(t, "POST", url+"drop?name="+name, body)
		return status, text
	}
	status, text := post("..%2f..%2fetc%2Fgood.csv", "x,y\n1,2\n3,4\n5,6\n7,8\n")
	if status != 202 || text != `{"id":"1"}` {
		t.Errorf("status %d: %s", status, text)
	}
	if status, _ := post("bad.csv", "x,y\n1,2\n\"3,4\n"); status != 202 {
		t.Errorf("status %d", status)
	}
	states := waitFor(t, b)
	if s := states[1]; s.Name != "good.csv" || s.Status != "done" {
		t.Errorf("the first file is %+v", s)
	}
	if s := states[0]; s.Status != "failed" || s.Fault != "bad.csv:2: is no table" {
		t.Errorf("the second file is %+v", s)
	}
	status, text, head := ask(t, "GET", url+"drop/1", "")
	if status != 200 || !strings.Contains(text, "<title>good.csv</title>") ||
		head.Get("Content-Security-Policy") != "frame-ancestors 'self'" {
		t.Errorf("status %d: %.200s", status, text)
	}
	for _, path := range []string{"drop/2", "drop/3", "drop/..%2f1"} {
		if status, _, _ := ask(t, "GET", url+path, ""); status != 404 {
			t.Errorf("%s: status %d", path, status)
		}
	}
	for _, name := range []string{"", ".", "..", ".hidden"} {
		if status, text := post(name, "x"); status != 400 || !strings.Contains(text, "no name") {
			t.Errorf("%q: status %d: %s", name, status, text)
		}
	}
	if status, text = post(strings.Repeat("x", 201), "x"); status != 400 || !strings.Contains(text, "longer than") {
		t.Errorf("status %d: %s", status, text)
	}
}

// A file that is too large is refused by its length, and, sent without one, as soon as it is: what had come is removed.
func TestDropTooLarge(t *testing.T) {
	b := &Board{}
	url := serve(t, b)
	r := must.M1(http.NewRequest("POST", url+"drop?name=big.csv", io.LimitReader(&endless{}, 200<<20)))
	r.ContentLength = 200 << 20
	answer, err := http.DefaultClient.Do(r)
	if err == nil { // else the connection ended before all was sent
		text := string(must.M1(io.ReadAll(answer.Body)))
		must.M(answer.Body.Close())
		if answer.StatusCode != 413 || !strings.Contains(text, "big.csv is larger than 64 MB") {
			t.Errorf("status %d: %s", answer.StatusCode, text)
		}
	}
	if states := b.drops.states(); len(states) > 0 {
		t.Errorf("it is kept: %+v", states)
	}
	body := &endless{}
	answer, err = http.DefaultClient.Do(must.M1(http.NewRequest("POST", url+"drop?name=endless.csv", body)))
	if err == nil {
		must.M(answer.Body.Close())
	}
	states := waitFor(t, b)
	if len(states) != 1 || states[0].Status != "failed" || !strings.Contains(states[0].Fault, "is larger than 64 MB") {
		t.Errorf("the files are %+v", states)
	}
	if body.sent > 2*MaxDrop {
		t.Errorf("%d bytes were taken", body.sent)
	}
	if left := must.M1(os.ReadDir(b.drops.dir)); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

// Files wait for each other; too many are refused, and the end of the board ends the work.
func TestDropQueue(t *testing.T) {
	began, stopped := make(chan string, 1), make(chan bool, 1)
	b := &Board{Cluster: func(ctx context.Context, path, _ string) error {
		began <- path
		<-ctx.Done()
		stopped <- true
		return errors.New("stopped")
	}}
	handler, end, err := b.handler(t.Context(), "127.0.0.1:1")
	must.M(err)
	if handler == nil {
		t.Fatal("no handler")
	}
	var fault error
	for range mostWait + 2 {
		one, path, err := b.drops.add("x.csv")
		if fault = err; err != nil {
			break
		}
		must.M(os.WriteFile(path, nil, 0o600))
		b.drops.running.Add(1)
		go b.drops.run(one, path)
		if one.ID == "1" {
			<-began
		}
	}
	if fault == nil || !strings.Contains(fault.Error(), "5 files wait already") {
		t.Errorf("the last of many: %v", fault)
	}
	end()
	<-stopped
	if _, err := os.Stat(b.drops.dir); err == nil {
		t.Error("the folder is left")
	}
}
