package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/report/table"
)

// With --keep a cell that is not computed stays as the earlier table has it, with its date. Without, it is gone. A file
// that is no table is an error, and stays.
func TestReproduceKeeps(t *testing.T) {
	out := t.TempDir()
	path := filepath.Join(out, "ablation-loss.json")
	command := []string{
		"reproduce", "ablation-loss", "--scale", "smoke", "--train", "never", "--formats", "json", "--quiet",
		"--runs", t.TempDir(), "--out", out,
	}
	cell := func() table.Cell {
		for _, c := range must.M1(table.ReadJSON(bytes.NewReader(must.M1(os.ReadFile(path))))).Cells {
			if c.Data == "MoG" && c.Model == "Likelihood (NCP)" && c.Metric == "NMI" {
				return c
			}
		}
		t.Fatal("the table has no such cell")
		return table.Cell{}
	}
	var earlier bytes.Buffer
	must.M((&table.Table{
		ID: "ablation-loss", Title: "earlier",
		Provenance: table.Provenance{Created: "2026-11-21T10:06:55Z", Commit: "c94eb8"},
		Cells: []table.Cell{{
			Data: "MoG", Metric: "NMI", Model: "Likelihood (NCP)", Ours: &table.Value{Mean: 0.5, N: 1},
		}},
	}).JSON(&earlier))
	must.M(os.WriteFile(path, earlier.Bytes(), 0o644))
	if _, stderr, status := gfncp(append(command, "--keep")...); status != exitDone && status != exitPartly {
		t.Fatalf("status %d: %s", status, stderr)
	}
	if c := cell(); c.Ours == nil || c.Ours.Mean != 0.5 || c.Computed != "2026-11-21, c94eb8" {
		t.Errorf("kept: %+v", c)
	}
	gfncp(command...)
	if c := cell(); c.Ours != nil || c.Note != "not trained" {
		t.Errorf("without --keep: %+v", c)
	}
	must.M(os.WriteFile(path, []byte("{}"), 0o644))
	_, stderr, status := gfncp(append(command, "--keep")...)
	if status != exitUsage || !strings.Contains(stderr, path) || string(must.M1(os.ReadFile(path))) != "{}" {
		t.Errorf("of {}: status %d, %s", status, stderr)
	}
}
