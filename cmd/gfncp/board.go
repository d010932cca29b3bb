package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/board"
	"github.com/gfncp/gfncp/internal/usererr"
)

// boardAction serves the board until it is interrupted, which is its good end.
func boardAction(c *cli.Context) error {
	folders := c.Args().Slice()
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return usererr.File(folder, 0, "name folders of runs, or none for runs", "is not a folder")
		}
	}
	if len(folders) == 0 {
		folders = []string{"runs"}
	}
	b := &board.Board{Folders: folders}
	return b.Serve(c.Context, c.Int("port"), func(url string) {
		fmt.Fprintln(c.App.Writer, url)
		say(c, "the board of %s; it can be opened on this machine alone, by who has the address. Ctrl-C ends it",
			strings.Join(b.Folders, ", "))
	})
}
