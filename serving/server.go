// Package serving answers requests of another program over a pair of pipes, as `gfncp serve --stdio` does for Python:
// models stay open between requests. A request or an answer is a line of JSON (docs/json.md has the protocol). Requests
// are answered one at a time, and a bad request with an error.
package serving

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Options are the settings of Serve.
type Options struct {
	Version string // of the program
	Backend string // as in gfncp.Options
}

// server holds the models that stay open between requests.
type server struct {
	Options
	models map[string]*root.Model
}

// pulse is the time between two empty lines that are written while a request is worked on.
const pulse = time.Second

// Serve reads requests from in and writes their answers to out. If in ends, it still answers the current request,
// unless nobody reads out. It returns the error of ctx if that ends, and errors of in and out.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if err := engine.CheckName(o.Backend); err != nil {
		return err
	}
	s := &server{Options: o, models: map[string]*root.Model{}}
	defer func() {
		for _, m := range s.models {
			m.Close()
		}
	}()
	reader := bufio.NewReaderSize(in, 1<<16)
	for {
		r, err := beside.Do(ctx, func() (*request, error) { return readRequest(reader) })
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read requests: %w", err)
		}
		a := s.attended(ctx, r, out)
		if ctx.Err() != nil && !a.OK {
			return ctx.Err()
		}
		if err := a.write(out); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
}

// attended returns the answer to a request. Meanwhile it writes empty lines to out, and stops the work if it cannot,
// because the reader has gone.
func (s *server) attended(ctx context.Context, r *request, out io.Writer) *answer {
	working, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan *answer, 1)
	go func() { done <- s.answer(working, r) }()
	beat := time.Tick(pulse)
	for {
		select {
		case a := <-done:
			return a
		case <-beat:
			if _, err := io.WriteString(out, "\n"); err != nil {
				stop()
			}
		}
	}
}

// answer executes a request. It returns an answer in any case, even after a panic.
func (s *server) answer(ctx context.Context, r *request) *answer {
	a, err := &answer{ID: r.ID, OK: true}, r.fault
	if err == nil {
		_, err = beside.Do(context.WithoutCancel(ctx), func() (any, error) { return nil, s.do(ctx, r, a) })
	}
	if err == nil {
		return a
	}
	kind := "internal"
	if usererr.Is(err) || errors.Is(err, root.ErrNotFinite) {
		kind = "input"
	}
	return &answer{ID: r.ID, Error: &fault{kind, inPython(err.Error())}}
}

// parameter is the name of an option in a request: co_clustering for CoClustering.
func parameter(option string) string { return usererr.Words(option, "_") }

// inPython returns a text of the library for a program that gives points, and not the options of a file.
func inPython(text string) string { return usererr.Renamed(usererr.WithoutOptions(text), parameter) }

// allInPython is inPython of each text. The list is never nil.
func allInPython(texts []string) []string {
	said := make([]string, len(texts))
	for i, text := range texts {
		said[i] = inPython(text)
	}
	return said
}

func (s *server) do(ctx context.Context, r *request, a *answer) error {
	switch r.Op {
	case "hello":
		a.Result = map[string]any{"protocol": Protocol, "version": s.Version, "models": root.Models()}
		return nil
	case "cluster":
		return s.cluster(ctx, r, a)
	case "predict":
		return s.predict(ctx, r, a)
	}
	ops := []string{"hello", "cluster", "predict"}
	return usererr.Unknown(r.Op, ops, "there is no request %q", r.Op)
}

// open returns the model of a name, run directory or file. It stays open until its weights change.
func (s *server) open(name string) (*root.Model, error) {
	if m := s.models[name]; m != nil {
		now, err := root.Find(name)
		if err != nil {
			return nil, err
		}
		if now.Params.SHA256() == m.Weights() {
			return m, nil
		}
		m.Close()
		delete(s.models, name)
	}
	m, err := root.Open(name, &root.Options{Backend: s.Backend})
	if err != nil {
		return nil, err
	}
	s.models[name] = m
	return m, nil
}
