// Command gfncp clusters data with amortized models and reproduces the paper "Consistent Amortized Clustering via
// Generative Flow Networks". Results go to stdout, messages and progress to stderr.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
	"github.com/gfncp/gfncp/train"
)

// The exit statuses; scripts depend on them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitPartly      = 3
	exitLater       = sweep.ExitLater // not done, but it can be resumed
	exitInterrupted = 130
)

// errInterrupted marks a command that a signal has ended.
var errInterrupted = errors.New("interrupted")

// errPartly marks work that failed in part. The other parts have been written.
var errPartly = errors.New("part of the work failed")

func main() {
	if err := engine.Prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "gfncp: warning:", err)
	}
	os.Exit(run(os.Args, os.Stdout, os.Stderr))
}

// run executes a command line and returns its exit status.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the first signal asks for an orderly end, the second one ends the process
	out := &watched{w: stdout, terminal: isTerminal(stdout)}
	app := newApp(out, stderr)
	err := app.RunContext(ctx, flagsFirst(app, args))
	if out.err != nil { // the library takes it for a wrong flag
		err = out.err
	}
	if err != nil {
		for _, line := range strings.Split(message(err), "\n") {
			fmt.Fprintln(stderr, "gfncp:", escaped(line))
		}
	}
	return status(err)
}

func message(err error) string {
	if errors.Is(err, context.Canceled) && !errors.Is(err, train.ErrInterrupted) {
		err = errInterrupted
	}
	text := answer.Fault(err)
	if errors.Is(err, memory.ErrLimit) {
		text += ", or raise --memory-limit"
	}
	return text
}

// watched is standard output with the first error of a write: the cli library ignores the errors of help texts.
type watched struct {
	w        io.Writer
	terminal bool
	err      error
}

func (o *watched) Write(p []byte) (n int, err error) {
	if n = len(p); o.terminal {
		_, err = io.WriteString(o.w, escaped(string(p)))
	} else {
		n, err = o.w.Write(p)
	}
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("write the output: %w", err)
	}
	return n, err
}

func status(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errInterrupted) || errors.Is(err, train.ErrInterrupted) || errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, errPartly):
		return exitPartly
	case errors.Is(err, sweep.ErrLater):
		return exitLater
	case usererr.Is(err):
		return exitUsage
	default:
		return exitFailed
	}
}

// newApp puts the program together: the commands, with their texts in help.txt.
func newApp(stdout, stderr io.Writer) *cli.App {
	texts := helpTexts()
	own := texts["gfncp"]
	app := &cli.App{
		Name: "gfncp", Usage: own.usage, UsageText: own.synopsis, Description: own.description, Version: version(),
		Writer: stdout, ErrWriter: stderr, Commands: commands(),
		HideHelpCommand: true,
		Flags:           []cli.Flag{cli.HelpFlag},     // beside a command help the library leaves it out
		ExitErrHandler:  func(*cli.Context, error) {}, // run decides the status
		OnUsageError:    usageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return unknownCommand(c.App.Name, c.App.VisibleCommands(), c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	everyCommand(app.Name, app.Commands, func(path string, c *cli.Command) { finish(path, c, texts) })
	return app
}
