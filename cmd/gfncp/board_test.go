package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
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

// The board shows the runs of train; an interrupt is its good end.
func TestBoard(t *testing.T) {
	dir := t.TempDir()
	trainTiny(t, filepath.Join(dir, "runs", "mine"))
	url, board := startBoard(t, filepath.Join(dir, "runs"))
	contains(t, boardState(t, url), `"name":"mine"`, `"steps":6,"step":6`, `"status":"finished"`)
	must.M(board.Process.Signal(os.Interrupt))
	if err := board.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
