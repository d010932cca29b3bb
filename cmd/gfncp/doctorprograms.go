package main

import (
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/engine/programs"
)

// programsFound are the programs that XLA has compiled: in this process, and for later ones.
type programsFound struct {
	pjrtapi.Counts
	Folder  string `json:"cache,omitempty"` // the cache's; empty without a cache
	Entries int    `json:"cache_entries"`
	Bytes   int64  `json:"cache_bytes"`
	Most    int64  `json:"cache_most_bytes"`
}

// programsNow counts the process's programs and those in the cache. A cache that cannot be read is empty.
func programsNow() *programsFound {
	found := &programsFound{Counts: pjrtapi.Programs()}
	if cache, err := programs.Cache(); err == nil {
		found.Folder, found.Most = cache.Folder, cache.Most
		found.Entries, found.Bytes, _ = cache.Size()
	}
	return found
}
