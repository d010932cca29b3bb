package page

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/usererr"
)

// largestSVG is the size from which a figure's PNG is taken where it is smaller: a vector picture of very many points
// would make the page large and slow.
const largestSVG = 300_000

// Read fills the section from the files that Write wrote into folder dir. Links to them begin with link, the way
// from the page's folder to dir. Where there is no table, Table stays nil. A broken table or a missing figure is a
// usererr.Error.
func (s *Section) Read(dir, link string) error {
	from := filepath.Join(dir, s.ID+".json")
	file, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &usererr.Error{Path: from, Msg: "cannot be read", Hint: "check its permissions", Err: err}
	}
	defer func() { _ = file.Close() }()
	if s.Table, err = table.ReadJSON(file); err != nil {
		var fault *usererr.Error
		if errors.As(err, &fault) {
			fault.Path = from
		}
		return err
	}
	s.Files = links(dir, link, s.ID, table.Extensions()...)
	for _, ref := range s.Table.Figures {
		figure, err := readFigure(dir, link, ref)
		if err != nil {
			return err
		}
		s.Figures = append(s.Figures, figure)
	}
	return nil
}

func readFigure(dir, link string, ref table.FigureRef) (Figure, error) {
	f := Figure{Caption: ref.Caption}
	if ref.File == "" || ref.File != filepath.Base(ref.File) || strings.HasPrefix(ref.File, ".") {
		return f, usererr.File(dir, 0, "compute the table again", "a table names a figure by %q, which is no file name",
			ref.File)
	}
	stem := filepath.Join(dir, ref.File)
	svg, missing := os.ReadFile(stem + ".svg")
	png, err := os.ReadFile(stem + ".png")
	switch {
	case missing != nil && err != nil:
		return f, &usererr.Error{
			Path: stem + ".svg", Msg: "cannot be read, nor as .png, though its table names it",
			Hint: "compute the table again", Err: missing,
		}
	case missing != nil || err == nil && len(svg) > largestSVG && len(png) < len(svg):
		f.Data = png
	default:
		f.Data = svg
	}
	f.Files = links(dir, link, ref.File, append(slices.Clone(table.PictureFormats), "csv", "json")...)
	return f, nil
}

// links leads to those of the files dir/STEM.EXT that exist.
func links(dir, link, stem string, exts ...string) (all []Link) {
	for _, ext := range exts {
		name := stem + "." + ext
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			target := url.URL{Path: path.Join(link, name)}
			all = append(all, Link{Text: strings.ToUpper(ext), Target: target.String()})
		}
	}
	return all
}
