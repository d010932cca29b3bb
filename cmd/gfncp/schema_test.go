package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/cmd/internal/answer"
)

// schemaFile describes what commands print with --json: `go test ./cmd/gfncp -run TestSchema -update` writes it.
var schemaFile = filepath.Join(docsRoot, "docs", "json.schema.json")

// types are those that commands print with --json.
var types = map[string]func(*jsonschema.ForOptions) (*jsonschema.Schema, error){
	"cluster": jsonschema.For[answer.Output], "predict": jsonschema.For[predictOutput],
	"score": jsonschema.For[clustering.ScoreResult], "eval": jsonschema.For[evaluated],
	"train": jsonschema.For[trained], "doctor": jsonschema.For[diagnosis],
}

// schema describes the JSON of all commands; "$defs/NAME" describes one.
// New fields are allowed: they do not change schema_version.
func schema() *jsonschema.Schema {
	all := &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema", Title: "gfncp --json",
		Description: "What gfncp NAME --json prints is $defs/NAME; docs/json.md says what the fields mean.",
		Defs:        map[string]*jsonschema.Schema{},
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		s := must.M1(types[name](nil))
		open(s)
		all.Defs[name] = s
	}
	return all
}

// open allows further fields in every object of a struct.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, property := range s.Properties {
		open(property)
	}
	open(s.Items)
	open(s.AdditionalProperties)
}

// TestSchema validates what commands print against the published schema, which is the one of the types.
func TestSchema(t *testing.T) {
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetIndent("", " ")
	must.M(encoder.Encode(schema()))
	if *update {
		must.M(os.WriteFile(schemaFile, want.Bytes(), 0o644))
	}
	content := must.M1(os.ReadFile(schemaFile))
	if !bytes.Equal(content, want.Bytes()) {
		t.Errorf("%s is stale: run go test ./cmd/gfncp -run TestSchema -update", schemaFile)
	}
	var published jsonschema.Schema
	must.M(json.Unmarshal(content, &published))
	w := newWorkplace(t)
	points := w.write("blobs.csv", "x,y\n"+strings.Repeat("0,1\n0.5,1.5\n1,0\n8,9\n8.5,9\n9,8.5\n", 5))
	saved, labelled := w.path("saved.json"), w.write("labelled.csv", "x,y,cluster\n0,0,a\n0,1,a\n9,9,b\n9,8,b\n")
	for _, line := range [][]string{
		{"cluster", points, "--save", saved},
		{"cluster", points, "--model", "mog-gfncp-free", "--samples", "5"},
		{"predict", saved, points},
		{"score", labelled, "--labels", "cluster"},
		{"doctor"},
	} {
		resolved := must.M1(published.Defs[line[0]].Resolve(nil))
		value := result[map[string]any](t, line...)
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s: %v", strings.Join(line, " "), err)
		}
		for _, list := range []string{"warnings", "notes"} {
			if all, there := value[list]; there && all == nil {
				t.Errorf("%s: %s is null", strings.Join(line, " "), list)
			}
		}
		delete(value, "schema_version")
		if resolved.Validate(value) == nil {
			t.Errorf("%s: a result without schema_version is valid", line[0])
		}
	}
}
