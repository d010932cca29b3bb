package engine

import (
	"cmp"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gomlx/compute"
)

// SideBySide does work on n things, numbered from 0, atOnce of them in each call of do: on the Go backend on all cores,
// as a call there runs on one, elsewhere one call after another. How the work is cut does not depend on the number of
// cores. It returns the first error in the things' order; what comes after it may be left undone.
func SideBySide(backend compute.Backend, n, atOnce int, do func(from, to int) error) error {
	errs := make([]error, (n+atOnce-1)/atOnce)
	var next atomic.Int64
	var failed atomic.Bool
	work := func() {
		for part := int(next.Add(1)) - 1; part < len(errs) && !failed.Load(); part = int(next.Add(1)) - 1 {
			if errs[part] = do(part*atOnce, min((part+1)*atOnce, n)); errs[part] != nil {
				failed.Store(true)
			}
		}
	}
	var wg sync.WaitGroup
	if OnGo(backend) {
		for range min(runtime.GOMAXPROCS(0), len(errs)) - 1 {
			wg.Go(work)
		}
	}
	work()
	wg.Wait()
	return cmp.Or(errs...)
}

// withoutWorkers makes each call of the Go backend run on the goroutine that calls. By itself the backend deals each
// larger operation out to goroutines, which took a quarter of a training step's processor time on two cores: calls
// side by side use the cores better. Its own option parallelism=0 does the same, but prints a line to standard output.
func withoutWorkers(backend compute.Backend) error {
	type pool interface{ SetMaxParallelism(most int) }
	if field := reflect.ValueOf(backend).Elem().FieldByName("Workers"); field.IsValid() {
		if workers, ok := field.Interface().(pool); ok {
			workers.SetMaxParallelism(0)
			return nil
		}
	}
	return fmt.Errorf("this GoMLX's Go backend has no Workers whose number can be set")
}
