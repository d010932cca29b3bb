package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
)

// soakTime is the environment variable that says how long TestSoak goes on: `just soak 60` sets 60m.
const soakTime = "GFNCP_SOAK"

const (
	mostGrowth = 128 << 20 // bytes by which a process may grow after the first quarter of the time
	mostFiles  = 64        // open files of a process when its clients have gone
)

// TestSoak sends good, bad, slow and cut-off requests to serve and to the board. Good ones have their answers to the
// end, memory does not grow after the first quarter, and no file stays open. It takes 20 s; `just soak MINUTES` more.
func TestSoak(t *testing.T) {
	short.Skip(t, "goes on for 20 seconds")
	lasting := 20 * time.Second
	if long := os.Getenv(soakTime); long != "" {
		lasting = must.M1(time.ParseDuration(long))
	}
	dir := t.TempDir()
	trainTiny(t, filepath.Join(dir, "runs", "mine"))
	address, board := startBoard(t, filepath.Join(dir, "runs"))
	serve := startServe(t)
	ctx, stop := context.WithTimeout(t.Context(), lasting)
	defer stop()
	counts := &tally{counts: map[string]int{}}
	var clients sync.WaitGroup
	clients.Go(func() { serve.soak(ctx, counts) })
	for number := range 4 {
		clients.Go(func() { soakBoard(ctx, t, address, uint64(number), counts) })
	}
	first := map[string]int{} // resident bytes after a quarter of the time
	sizes := map[string]*exec.Cmd{"board": board, "serve": serve.command}
	select {
	case <-time.After(lasting / 4):
	case <-ctx.Done():
	}
	for name, process := range sizes {
		first[name] = residentBytes(process)
	}
	clients.Wait()
	http.DefaultClient.CloseIdleConnections()
	for name, process := range sizes {
		files := openFiles(process)
		for until := time.Now().Add(10 * time.Second); files > mostFiles && time.Now().Before(until); {
			time.Sleep(50 * time.Millisecond) // the process has yet to see that its clients have gone
			files = openFiles(process)
		}
		last := residentBytes(process)
		t.Logf("%s: %d MB after a quarter of the time, %d MB at the end, %d open files", name,
			first[name]>>20, last>>20,
			files)
		if last > first[name]+mostGrowth || files > mostFiles {
			t.Errorf("%s: it has grown", name)
		}
	}
	if status, _ := get(t, address); status != http.StatusOK {
		t.Errorf("the board answers %d at the end", status)
	}
	t.Log(counts.counts)
}

func procOf(process *exec.Cmd, file string) string {
	return filepath.Join("/proc", strconv.Itoa(process.Process.Pid), file)
}

// residentBytes returns the memory that a process has in use.
func residentBytes(process *exec.Cmd) int {
	fields := strings.Fields(string(must.M1(os.ReadFile(procOf(process, "statm")))))
	return must.M1(strconv.Atoi(fields[1])) * os.Getpagesize()
}

func openFiles(process *exec.Cmd) int { return len(must.M1(os.ReadDir(procOf(process, "fd")))) }

// served is a gfncp serve process and its client.
type served struct {
	t       *testing.T
	command *exec.Cmd
	in      io.Writer
	out     *bufio.Reader
}

func startServe(t *testing.T) *served {
	command := process("serve", "--stdio")
	command.Stderr = os.Stderr
	s := &served{t: t, command: command}
	s.in, s.out = must.M1(command.StdinPipe()), bufio.NewReader(must.M1(command.StdoutPipe()))
	must.M(command.Start())
	t.Cleanup(func() { _ = command.Process.Kill() })
	return s
}

// send sends a line, in two parts with a wait if it is slow, and returns its answer.
func (s *served) send(line string, slow bool) string {
	half := 0
	if slow {
		half = len(line) / 2
		must.M1(io.WriteString(s.in, line[:half]))
		time.Sleep(50 * time.Millisecond)
	}
	must.M1(io.WriteString(s.in, line[half:]+"\n"))
	answer := "\n"
	for answer == "\n" {
		answer = must.M1(s.out.ReadString('\n'))
	}
	return answer
}

// soak sends requests until the end of ctx. Each good one must have the answer that it had first.
func (s *served) soak(ctx context.Context, counts *tally) {
	rng := rand.New(rand.NewPCG(1, 0))
	var x []float64
	for i := range 30 {
		x = append(x, float64(i%3*20)+rng.NormFloat64(), rng.NormFloat64())
	}
	data := base64.StdEncoding.EncodeToString(must.M1(binary.Append(nil, binary.LittleEndian, x)))
	const good = `{"op":"cluster","model":"%s","options":{"samples":5},` +
		`"arrays":{"x":{"dtype":"<f8","shape":[30,2],"data":"%s"}}}`
	want := map[string]string{}
	for ctx.Err() == nil {
		switch rng.IntN(4) {
		case 0: // a request at fault
			bad := []string{"nonsense", `{"op":"cluster","model":3}`, `{"op":1`, strings.Repeat("x", 1<<20)}
			s.send(bad[rng.IntN(4)], false)
			counts.add("serve, bad", 1)
		default:
			model, slow := []string{"", "mog-gfncp-free"}[rng.IntN(2)], rng.IntN(5) == 0
			answer := s.send(fmt.Sprintf(good, model, data), slow)
			if want[model] == "" {
				want[model] = answer
			}
			if !strings.Contains(answer, `"ok":true`) || answer != want[model] {
				s.t.Errorf("a good request has the answer %.200s", answer)
				return
			}
			counts.add(map[bool]string{false: "serve, good", true: "serve, slow"}[slow], 1)
		}
	}
}

// soakBoard is a client of the board: it opens pages, asks for the state, sends half requests and wrong addresses.
func soakBoard(ctx context.Context, t *testing.T, address string, seed uint64, counts *tally) {
	rng := rand.New(rand.NewPCG(2, seed))
	at := must.M1(url.Parse(address))
	for ctx.Err() == nil {
		switch rng.IntN(5) {
		case 0, 1:
			if status, text := get(t, address); status != http.StatusOK || !strings.Contains(text, "<html") {
				t.Errorf("the board's page has status %d: %.99s", status, text)
				return
			}
			counts.add("board, page", 1)
		case 2:
			if !strings.Contains(boardState(t, address), `"mine"`) {
				t.Error("the state does not tell the run")
				return
			}
			counts.add("board, state", 1)
		case 3: // half a request
			c := must.M1(net.Dial("tcp", at.Host))
			_, _ = c.Write([]byte("GET / HTTP/1.1\r\nHost: "))
			time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
			_ = c.Close()
			counts.add("board, cut off", 1)
		default:
			if status, _ := get(t, "http://"+at.Host+"/wrong/state"); status != http.StatusNotFound {
				t.Errorf("an address without the token has status %d", status)
				return
			}
			counts.add("board, bad address", 1)
		}
	}
}
