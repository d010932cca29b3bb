package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// startBoard runs gfncp board as a process, and returns its address.
func startBoard(t *testing.T, args ...string) (url string, board *exec.Cmd) {
	t.Helper()
	board = process(append([]string{"board", "--port", "0", "--quiet"}, args...)...)
	out := must.M1(board.StdoutPipe())
	board.Stderr = os.Stderr
	must.M(board.Start())
	t.Cleanup(func() { _ = board.Process.Kill() })
	return strings.TrimSpace(must.M1(bufio.NewReader(out).ReadString('\n'))), board
}

// get returns what the board answers.
func get(t *testing.T, url string) (status int, text string) {
	t.Helper()
	answer := must.M1(http.Get(url))
	defer func() { must.M(answer.Body.Close()) }()
	return answer.StatusCode, string(must.M1(io.ReadAll(answer.Body)))
}

// boardState is what the board's lists show.
func boardState(t *testing.T, url string) string {
	t.Helper()
	status, text := get(t, url+"state")
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	return text
}

// The board shows the runs of train, and clusters what is dropped on it as `gfncp cluster` does, in another
// process; an interrupt is its good end.
func TestBoard(t *testing.T) {
	dir := t.TempDir()
	trainTiny(t, filepath.Join(dir, "runs", "mine"))
	url, board := startBoard(t, filepath.Join(dir, "runs"))
	contains(t, boardState(t, url), `"name":"mine"`, `"steps":6,"step":6`, `"status":"finished"`)
	points := "x,y\n"
	for i := range 24 {
		points += strconv.Itoa(i%2*20+i%5) + "," + strconv.Itoa(i%2*20+i%7) + ".5\n"
	}
	for name, body := range map[string]string{"points.csv": points, "bad.csv": "x,y\n1,2\n3,4,5\n"} {
		answer := must.M1(http.Post(url+"drop?name="+name, "", strings.NewReader(body)))
		must.M(answer.Body.Close())
	}
	state := ""
	await(t, "the dropped files", func() bool {
		state = boardState(t, url)
		return !strings.Contains(state, `"waiting"`) && !strings.Contains(state, `"running"`)
	})
	contains(t, state, `"status":"failed","fault":"bad.csv:3: `)
	id := "1"
	if strings.Contains(state, `"id":"2","name":"points.csv"`) {
		id = "2"
	}
	if status, text := get(t, url+"drop/"+id); status != 200 || !strings.Contains(text, "<title>points.csv</title>") ||
		!strings.Contains(text, "24 points in") {
		t.Errorf("status %d: %.300s", status, text)
	}
	must.M(board.Process.Signal(os.Interrupt))
	if err := board.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
