package serving

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// A client that ends in the middle of its request ends the work.
func TestUnread(t *testing.T) {
	answers, out := must.M2(os.Pipe())
	done := make(chan error, 1)
	go func() { done <- Serve(t.Context(), bytes.NewReader(longRequest()), out, Options{Backend: "go"}) }()
	select {
	case err := <-done:
		t.Fatalf("it ends before its answer: %v", err)
	case <-time.After(time.Second):
	}
	must.M(answers.Close())
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
}
