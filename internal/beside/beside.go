// Package beside runs work that cannot be stopped, such as a read of a pipe or a computation of a backend, beside a
// caller who waits no longer than a context lasts.
package beside

import "context"

// Do returns what work returns, or the error of ctx if that ends before. Then work comes to its end in the background
// and its outcome is dropped: it must leave nothing behind, and touch nothing that the caller goes on to use.
func Do[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
