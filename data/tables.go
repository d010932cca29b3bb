package data

import "github.com/gfncp/gfncp/internal/usererr"

// TableDim is the number of principal components of tables that networks see.
const TableDim = 16

// SourceTables is the name of the source of tables of numbers, on which the shipped network of tables was trained.
const SourceTables = "tables"

// tablesDescriptor describes tables that are drawn anew for each set.
var tablesDescriptor = Descriptor{
	Name: SourceTables, Title: "tables of numbers of many kinds", Shape: Drawn, Dim: TableDim, Alpha: 1,
}

// Tables says how large drawn tables are, and what share of them has each ingredient, in 0..1. The ingredients are
// explained where they are drawn (research/tables/drawn).
type Tables struct {
	MaxColumns int     `toml:"max_columns" json:"max_columns"`
	MaxK       int     `toml:"max_k" json:"max_k"`
	Process    float64 `toml:"process" json:"process"`
	Tied       float64 `toml:"tied" json:"tied"`
	Round      float64 `toml:"round" json:"round"`
	Aligned    float64 `toml:"aligned" json:"aligned"`
	Tails      float64 `toml:"tails" json:"tails"`
	Curved     float64 `toml:"curved" json:"curved"`
	Mixed      float64 `toml:"mixed" json:"mixed"`
	Outliers   float64 `toml:"outliers" json:"outliers"`
	Skewed     float64 `toml:"skewed" json:"skewed"`
	Discrete   float64 `toml:"discrete" json:"discrete"`
	Noise      float64 `toml:"noise" json:"noise"`
	Categories float64 `toml:"categories" json:"categories"`
}

// DefaultTables returns settings for the training of a table model: tables of 20 to 400 rows, 32 at a time.
func DefaultTables() Config {
	t := Tables{
		MaxColumns: 32, MaxK: 12,
		Process: 0.2, Tied: 0.25, Round: 0.25, Aligned: 0.25, Tails: 0.2, Curved: 0.2, Mixed: 0.3, Outliers: 0.15,
		Skewed: 0.2, Discrete: 0.2, Noise: 0.3, Categories: 0.15,
	}
	return Config{
		Source: SourceTables, Dim: TableDim, Batch: 32, NMin: 20, NMax: 400, AlphaMin: 1, AlphaMax: 1,
		MinK: 1, MaxK: t.MaxK, Mode: ModeGenerative, Stream: "train", Tables: t,
	}
}

// IsTables reports whether the points are rows of tables that are drawn.
func (c Config) IsTables() bool { return c.Descriptor().Shape == Drawn }

// openTables opens the source of tables; nil in a program that cannot draw them.
var openTables func(Config) (Source, error)

// RegisterTables lets OpenTables draw tables. Package research/tables/drawn calls it when it is imported.
func RegisterTables(open func(Config) (Source, error)) { openTables = open }

// OpenTables opens the source of tables that c describes. A program that cannot draw them gives a *usererr.Error.
func OpenTables(c Config) (Source, error) {
	if openTables == nil {
		return nil, usererr.New("see docs/training.md: go run ./train in research/tables",
			"tables are drawn by another program than gfncp")
	}
	return openTables(c)
}
