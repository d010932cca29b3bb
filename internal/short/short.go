// Package short skips long tests under go test -short.
package short

import "testing"

// Skip skips a test with the reason why it is long, if -short is set.
func Skip(tb testing.TB, reason string) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("-short: it " + reason)
	}
}
