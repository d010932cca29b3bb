// Package xlalog lets XLA print its errors when it is imported. go-xla's package switches them off as it is
// initialized, unless Variable is set: this package, which imports only os and comes first by name, sets it.
package xlalog

import "os"

// Variable is the level from which XLA prints: 0 everything, 1 warnings, 2 errors, 3 nothing but fatal ones.
const Variable = "TF_CPP_MIN_LOG_LEVEL"

func init() {
	if os.Getenv(Variable) == "" {
		_ = os.Setenv(Variable, "2") // errors
	}
}
