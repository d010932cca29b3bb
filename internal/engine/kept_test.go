package engine

import (
	"errors"
	"testing"

	"github.com/janpfeifer/must"
)

// Values are made once for each backend and key, not at all where making fails, and those of a finalized backend go
// when the next one comes.
func TestKept(t *testing.T) {
	var k Kept[string, int]
	made := 0
	create := func() (int, error) { made++; return made, nil }
	first, second := must.M1(Choice{Config: goBackend}.Open()), must.M1(Choice{Config: goBackend}.Open())
	defer second.Finalize()
	a, again := must.M1(k.Get(first, "a", create)), must.M1(k.Get(first, "a", create))
	b := must.M1(k.Get(first, "b", create))
	if a != 1 || again != 1 || b != 2 || made != 2 {
		t.Errorf("values %d, %d, %d; %d were made", a, again, b, made)
	}
	fault := errors.New("fault")
	if _, err := k.Get(second, "a", func() (int, error) { return 7, fault }); !errors.Is(err, fault) {
		t.Errorf("a fault gave %v", err)
	}
	if len(k.of) != 1 {
		t.Error("what could not be made is there")
	}
	first.Finalize()
	if value := must.M1(k.Get(second, "a", create)); value != 3 || len(k.of) != 1 {
		t.Errorf("after the first backend's end there are %v", k.of)
	}
}
