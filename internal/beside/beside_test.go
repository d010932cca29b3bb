package beside

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// Work that does not end holds nobody up whose context ends; what has been waited for is returned.
func TestDo(t *testing.T) {
	v, err := Do(t.Context(), func() (int, error) { return 3, errors.ErrUnsupported })
	if v != 3 || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Do = %d, %v", v, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	never := make(chan struct{})
	defer close(never)
	v, err = Do(ctx, func() (int, error) {
		cancel()
		<-never
		return 3, nil
	})
	if v != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("Do = %d, %v after the end of its context", v, err)
	}
}

// A panic of the work is an error of its caller, with the place where it happened.
func TestPanicIsAnError(t *testing.T) {
	_, err := Do(t.Context(), func() (int, error) { panic("broken") })
	if err == nil || !strings.Contains(err.Error(), "broken") || !strings.Contains(err.Error(), "beside_test.go") {
		t.Errorf("the error is %v", err)
	}
}
