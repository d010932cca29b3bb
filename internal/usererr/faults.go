package usererr

import "fmt"

// Faults gathers the faults of a configuration, so that all are reported at once (errors.Join).
type Faults []error

// Demand adds a fault unless ok: the setting key has this value and must be as bound says, e.g. "at least 1".
func (f *Faults) Demand(ok bool, key string, value any, bound string) {
	if !ok {
		*f = append(*f, New(fmt.Sprintf("set %s to %s", key, bound), "%s is %v", key, value))
	}
}
