package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"
)

// Every thing is done once, in the same pieces whatever the number of cores is, and the first error is returned.
func TestSideBySide(t *testing.T) {
	backend := goTestBackend()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 3} {
		runtime.GOMAXPROCS(cores)
		for _, n := range []int{0, 1, 4, 5, 17} {
			var mu sync.Mutex
			var pieces [][2]int
			err := SideBySide(context.Background(), backend, n, 4, func(from, to int) error {
				mu.Lock()
				defer mu.Unlock()
				pieces = append(pieces, [2]int{from, to})
				return nil
			})
			slices.SortFunc(pieces, func(a, b [2]int) int { return a[0] - b[0] })
			var want [][2]int
			for from := 0; from < n; from += 4 {
				want = append(want, [2]int{from, min(from+4, n)})
			}
			if err != nil || !slices.Equal(pieces, want) {
				t.Errorf("%d cores, %d things: %v, %v, want %v", cores, n, pieces, err, want)
			}
		}
		bad := errors.New("the first")
		err := SideBySide(context.Background(), backend, 8, 2, func(from, _ int) error {
			if from > 0 {
				return fmt.Errorf("that of %d", from)
			}
			time.Sleep(time.Millisecond)
			return bad
		})
		if err != bad {
			t.Errorf("%d cores: %v, want the first error", cores, err)
		}
	}
}

// A call on the Go backend starts no goroutine, however large its products are.
func TestCallsRunOnOneGoroutine(t *testing.T) {
	const size = 512
	before, most := runtime.NumGoroutine(), 0
	f := NewFunc(goTestBackend(), "products", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.Dot(graph.Transpose(in[0], 0, 1), in[0]).Product()}
	})
	x := matrix(wave(size*size, 1), size, size)
	done := make(chan error)
	go func() {
		_, err := f.Call(x)
		done <- err
	}()
	for {
		select {
		case err := <-done:
			if err != nil || most > before+1 {
				t.Errorf("%d goroutines besides those of before, error %v", most-before, err)
			}
			return
		default:
			most = max(most, runtime.NumGoroutine())
			runtime.Gosched()
		}
	}
}
