package files

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

// fileFormat is a kind of file that Open reads. A new one is a file of its own and a line in formats.
type fileFormat struct {
	kind    string                  // Input.Kind, unless the reader sets it
	starts  func(start []byte) bool // whether a file that begins so is one; nil: only the name tells
	named   func(base string) bool  // whether a file of this name (plainName) is meant as one
	seeks   bool                    // it is read at several places: neither from a pipe nor packed
	columns bool                    // it has columns or arrays with names
	header  bool                    // its first line may hold names
	read    func(from *opened, o Options) (*Input, error)
}

// startSize is how many bytes of its beginning tell a file's format.
const startSize = 9

// formats are asked in this order, first about the content and then about the name. What is none of them is a table.
var formats = []fileFormat{npzFormat, tensorsFormat, parquetFormat, npyFormat, idxFormat, pictureFormat, spreadsheetFormat}

// formatOf finds the format of a file by its first bytes, or else by its name.
func formatOf(start []byte, base string) fileFormat {
	for _, f := range formats {
		if f.starts != nil && f.starts(start) {
			return f
		}
	}
	for _, f := range formats {
		if f.named(base) {
			return f
		}
	}
	return tableFormat
}

// ending matches names with one of these endings.
func ending(endings ...string) func(string) bool {
	return func(base string) bool { return slices.Contains(endings, filepath.Ext(base)) }
}

// magic matches files that begin with one of these texts.
func magic(texts ...string) func([]byte) bool {
	return func(start []byte) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(string(start), text) })
	}
}

// pictureFormat and spreadsheetFormat are kinds that are refused with a remedy.
var (
	pictureFormat = fileFormat{kind: "image", starts: magic("\x89PNG", "\xff\xd8\xff"), named: isPictureName, read: refuse(
		"is a single image", "name the folder that holds the images")}
	spreadsheetFormat = fileFormat{kind: "spreadsheet", named: ending(".xlsx", ".xlsm", ".xls", ".ods", ".numbers"), read: refuse(
		isSpreadsheet, saveSheet)}
)

const (
	isSpreadsheet = "is a spreadsheet, not a table in text"
	saveSheet     = "save the sheet as CSV"
)

func refuse(fault, hint string) func(*opened, Options) (*Input, error) {
	return func(from *opened, _ Options) (*Input, error) {
		return nil, usererr.File(from.path, 0, hint, "%s", fault)
	}
}
