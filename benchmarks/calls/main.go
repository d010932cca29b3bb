// Command calls is the Go half of a comparison: how much processor time many small calls of Model.Cluster take, here
// and from Python (calls.py, which starts it). For each line "N SAMPLES CALLS" on standard input it clusters so many
// sets of N points and prints the processor seconds of that.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"math"
	"os"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/cputime"
	_ "github.com/gfncp/gfncp/pretrained"
)

func main() {
	if err := gfncp.Prepare(); err != nil {
		log.Fatal(err)
	}
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	model, err := gfncp.Open("mog-gfncp-free", &gfncp.Options{Backend: "go"})
	if err != nil {
		return err
	}
	defer model.Close()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var n, samples, calls int
		if _, err := fmt.Sscan(lines.Text(), &n, &samples, &calls); err != nil {
			return err
		}
		seconds, err := measure(model, n, samples, calls)
		if err != nil {
			return err
		}
		fmt.Println(seconds)
	}
	return lines.Err()
}

// measure clusters so many sets, after one that is not counted.
func measure(model *gfncp.Model, n, samples, calls int) (seconds float64, err error) {
	o := gfncp.DefaultOptions()
	o.Samples = samples
	for call := -1; call < calls; call++ {
		if call == 0 {
			seconds = cputime.Process()
		}
		set, err := gfncp.NewPoints(points(n, max(call, 0)), n)
		if err == nil {
			_, err = model.Cluster(context.Background(), set, o)
		}
		if err != nil {
			return 0, err
		}
	}
	return cputime.Process() - seconds, nil
}

// points are n points in the plane, others in each call, in six clusters as wide as those of the training: no scale is
// searched for, which would take longer than all else.
func points(n, call int) []float64 {
	x := make([]float64, 2*n)
	for i := range n {
		for j := range 2 {
			x[2*i+j] = float64(14*(i%3-1)+5*(i%2)*j) + 1.4*math.Sin(float64(7*i+3*j+call))
		}
	}
	return x
}
