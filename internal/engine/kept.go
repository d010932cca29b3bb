package engine

import (
	"sync"

	"github.com/gomlx/compute"
)

// ending is held while a backend ends, and while it is asked whether it has.
var ending sync.Mutex

// Finalize ends a backend. Backend.Finalize itself is a data race if other goroutines open backends or make programs.
func Finalize(backend compute.Backend) {
	ending.Lock()
	defer ending.Unlock()
	backend.Finalize()
}

// Kept holds values that belong to backends, each by a key. The zero value is empty. Values of a finalized backend are
// dropped when the next value is created.
type Kept[K comparable, V any] struct {
	mu sync.Mutex
	of map[compute.Backend]map[K]V
}

// Get returns the value of a backend's key, and creates it if it is missing. Values are created one at a time.
func (k *Kept[K, V]) Get(backend compute.Backend, key K, create func() (V, error)) (V, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if value, found := k.of[backend][key]; found {
		return value, nil
	}
	value, err := create()
	if err != nil {
		return value, err
	}
	ending.Lock()
	for known := range k.of {
		if known.IsFinalized() {
			delete(k.of, known)
		}
	}
	ending.Unlock()
	if k.of == nil {
		k.of = map[compute.Backend]map[K]V{}
	}
	if k.of[backend] == nil {
		k.of[backend] = map[K]V{}
	}
	k.of[backend][key] = value
	return value, nil
}
