// Package beside runs work that cannot be stopped, such as a read of a pipe or a computation of a backend, beside a
// caller who waits no longer than a context lasts.
package beside

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Do returns the result of work, or the error of ctx if ctx ends first. A panic of work is an error. After the end of
// ctx, work goes on in the background and its outcome is dropped: it must leave nothing behind, and change nothing that
// the caller uses afterwards.
func Do[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil { // nobody above this goroutine could catch it
				o.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
			done <- o
		}()
		o.value, o.err = work()
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
