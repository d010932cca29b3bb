// Command gfncp clusters data with amortized models and reproduces the paper "Consistent Amortized Clustering via
// Generative Flow Networks". Results go to stdout, narration and progress to stderr.
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

	"github.com/gfncp/gfncp/internal/engine"
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

// errPartly marks work of which some part failed; what succeeded has been written.
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
	go func() { // the first signal asks for an orderly end, the second one ends the process
		<-ctx.Done()
		stop()
	}()
	app := newApp(stdout, stderr)
	err := app.RunContext(ctx, flagsFirst(app, args))
	if err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			fmt.Fprintln(stderr, "gfncp:", line)
		}
	}
	return status(err)
}

// status maps an error to the exit status.
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

func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:  "gfncp",
		Usage: "amortized probabilistic clustering with GFNCP and NCP",
		UsageText: "gfncp COMMAND [arguments]\n\n" +
			"gfncp cluster examples/points.csv        cluster your own points\n" +
			"gfncp reproduce table3 --scale smoke     compute a table of the paper\n" +
			"gfncp train --model gfncp --out DIR      train a model\n" +
			"gfncp help cluster                       explain a command",
		Description: "Results go to standard output; narration, progress and warnings to standard error. Options may stand before or after\n" +
			"the arguments.\n\nExit status:\n" +
			"  0    done\n" +
			"  1    failed\n" +
			"  2    wrong usage or bad input; one line names the fault and the remedy\n" +
			"  3    part of the work failed; what succeeded is written\n" +
			"  75   a sweep is not done, and can be resumed\n" +
			"  130  interrupted; a training run can be resumed",
		Version:   version(),
		Writer:    stdout,
		ErrWriter: stderr,
		Commands: []*cli.Command{
			clusterCommand(), scoreCommand(), trainCommand(), evalCommand(), exportCommand(),
			listCommand(), describeCommand(), reproduceCommand(), benchCommand(), doctorCommand(),
			dataCommand(), featuresCommand(), checkCommand(), reportCommand(), sweepCommand(),
			helpCommand(), completionCommand(), completeCommand(), manCommand(),
		},
		HideHelpCommand: true,
		ExitErrHandler:  func(*cli.Context, error) {}, // run decides the status
		OnUsageError:    usageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return unknownCommand(c.App.Name, c.App.Commands, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	everyCommand(app.Name, app.Commands, finish)
	return app
}
