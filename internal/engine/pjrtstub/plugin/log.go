//go:build pjrtstub

package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gfncp/gfncp/internal/engine/pjrtstub/stablehlo"
)

var logging sync.Mutex

// record adds a line to PJRTSTUB_LOG, fields with tabs between; package pjrtstub reads it. Kinds of lines:
//
//	option NAME                                        an option of the client
//	compile NAME HASH OPERATIONS BYTES SECONDS FAULT   FAULT is "ok" or why it is refused
//	up BYTES TYPE, down BYTES TYPE                     host to device, device to host
//	across BYTES TYPE                                  device to device
//	run NAME SECONDS ARGUMENTS DONATED DEVICE
func record(format string, values ...any) {
	path := getenv("PJRTSTUB_LOG")
	if path == "" {
		return
	}
	logging.Lock()
	defer logging.Unlock()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = fmt.Fprintf(f, format+"\n", values...)
		_ = f.Close() // a line that is lost shows in the test that counts it
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pjrtstub:", err)
	}
}

// recordProgram notes a compilation and keeps its program, if a folder for it is named.
func recordProgram(p *stablehlo.Program, text string, took time.Duration, err error) {
	name, operations, fault := "?", 0, "ok"
	if err != nil {
		fault = err.Error()
	}
	if p != nil {
		name = p.Name
		for _, f := range p.Funcs {
			operations += len(f.Body.Ops)
		}
	}
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:12]
	record("compile\t%s\t%s\t%d\t%d\t%.4f\t%s", name, hash, operations, len(text), took.Seconds(), fault)
	if folder := getenv("PJRTSTUB_PROGRAMS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name+"-"+hash+".mlir"), []byte(text), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "pjrtstub:", err)
		}
	}
}
