package engine

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gomlx/compute"
)

// SideBySide calls do for the ranges of 0..n−1, atOnce numbers in each. On the Go backend calls run on all cores,
// because each uses one; elsewhere they run one after another. The ranges do not depend on the number of cores. It
// returns the error of the first range that failed, or the error of ctx if that ends first; later ranges may be left
// out.
func SideBySide(ctx context.Context, backend compute.Backend, n, atOnce int, do func(from, to int) error) error {
	errs := make([]error, (n+atOnce-1)/atOnce)
	var next atomic.Int64
	var failed atomic.Bool
	work := func() {
		for part := int(next.Add(1)) - 1; part < len(errs) && !failed.Load(); part = int(next.Add(1)) - 1 {
			if errs[part] = ctx.Err(); errs[part] == nil {
				errs[part] = do(part*atOnce, min((part+1)*atOnce, n))
			}
			if errs[part] != nil {
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

// withoutWorkers makes each call of the Go backend run on the goroutine that calls. By default the backend splits each
// larger operation over goroutines, which took a quarter of a training step's processor time on two cores: concurrent
// calls use the cores better. Its own option parallelism=0 does the same, but prints a line to standard output.
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
