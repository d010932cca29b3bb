package files

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // the formats that picture files may have
	_ "image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bep/imagemeta"
	"golang.org/x/image/draw"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// maxPixels is the largest picture that is decoded, in pixels.
const maxPixels = 64_000_000

// readPicture decodes a PNG or JPEG file into greys over white by ITU-R BT.601, turned as its EXIF data say.
func readPicture(path string) (grey *image.Gray16, turns bool, err error) {
	f, err := fileio.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }()
	fault := func(err error) error {
		if cause := fileio.WithoutPath(err); cause != err {
			return fmt.Errorf("read %s: %w", path, cause)
		}
		return usererr.File(path, 0, "remove it or save it anew as PNG or JPEG", "cannot be decoded: %v", err)
	}
	config, kind, err := image.DecodeConfig(f)
	if err != nil {
		return nil, false, fault(err)
	}
	if int64(config.Width)*int64(config.Height) > maxPixels {
		return nil, false, usererr.File(path, 0, "make it smaller", "has %d×%d pixels, more than %d million",
			config.Height, config.Width, maxPixels/1_000_000)
	}
	const needed = 16 // bytes of a pixel, in the picture and in the greys
	if err := checkRoom(path, needed*config.Width*config.Height/3); err != nil {
		return nil, false, err
	}
	_, _ = f.Seek(0, io.SeekStart) // of a regular file
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, false, fault(err)
	}
	bounds := img.Bounds()
	grey = image.NewGray16(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	draw.Draw(grey, grey.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(grey, grey.Rect, img, bounds.Min, draw.Over)
	tag := orientation(f, kind)
	return turned(grey, tag), tag != 1, nil
}

// orientation returns the EXIF orientation, 1 to 8, of a file of this kind: the sides of the picture at which its first
// row and first column lie. A file without the tag has 1, top and left.
func orientation(f io.ReadSeeker, kind string) (tag int) {
	format := imagemeta.JPEG
	if kind == "png" {
		format = imagemeta.PNG
	}
	_, _ = f.Seek(0, io.SeekStart)
	_, err := imagemeta.Decode(imagemeta.Options{
		R: f, ImageFormat: format, Sources: imagemeta.EXIF,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool { return tag.Tag == "Orientation" },
		HandleTag: func(found imagemeta.TagInfo) error {
			if v, is := found.Value.(uint16); is {
				tag = int(v)
			}
			return nil
		},
	})
	if err != nil || tag < 1 || tag > 8 { // viewers ignore damaged EXIF data, too
		return 1
	}
	return tag
}

// turned returns a picture as an EXIF orientation shows it.
func turned(img *image.Gray16, orientation int) *image.Gray16 {
	size := img.Rect.Max
	sides := orientation > 4 // rows become columns
	if sides {
		size = image.Pt(size.Y, size.X)
	}
	to := image.NewGray16(image.Rectangle{Max: size})
	for i := range size.X * size.Y {
		y, x := i/size.X, i%size.X
		from := image.Pt(x, y)
		if sides {
			from = image.Pt(y, x)
		}
		if slices.Contains([]int{2, 3, 7, 8}, orientation) { // the first column lies right, or below
			from.X = img.Rect.Max.X - 1 - from.X
		}
		if slices.Contains([]int{3, 4, 6, 7}, orientation) { // the first row lies below, or right
			from.Y = img.Rect.Max.Y - 1 - from.Y
		}
		to.SetGray16(x, y, img.Gray16At(from.X, from.Y))
	}
	return to
}

// fit scales a picture to the largest size within want that keeps its aspect ratio, by Catmull-Rom interpolation, and
// centres it on its background colour, the median of its border.
func fit(img *image.Gray16, want image.Point) *image.Gray16 {
	if img.Rect.Max == want {
		return img
	}
	from, to := img.Rect.Max, image.NewGray16(image.Rectangle{Max: want})
	scale := min(float64(want.Y)/float64(from.Y), float64(want.X)/float64(from.X))
	h := min(want.Y, max(1, int(math.Round(float64(from.Y)*scale))))
	w := min(want.X, max(1, int(math.Round(float64(from.X)*scale))))
	edge := border(img)
	slices.Sort(edge)
	background := image.NewUniform(color.Gray16{Y: edge[len(edge)/2]}) // the upper one of two in the middle
	draw.Draw(to, to.Rect, background, image.Point{}, draw.Src)
	top, left := (want.Y-h)/2, (want.X-w)/2
	draw.CatmullRom.Scale(to, image.Rect(left, top, left+w, top+h), img, img.Rect, draw.Src, nil)
	return to
}

// border returns the pixels at the border of a picture, row by row.
func border(img *image.Gray16) (values []uint16) {
	for y := range img.Rect.Max.Y {
		for x := range img.Rect.Max.X {
			if y == 0 || y == img.Rect.Max.Y-1 || x == 0 || x == img.Rect.Max.X-1 {
				values = append(values, img.Gray16At(x, y).Y)
			}
		}
	}
	return values
}

// share returns a grey level as a share of white.
func share(level uint16) float32 { return float32(level) / 0xffff }

// images are the pictures of a folder that have been read so far.
type images struct {
	*Input
	folder  string        // for messages
	found   []image.Point // their sizes in the files
	turned  int           // how many are turned
	borders []float64     // the mean of the border of each
}

func (c *images) add(name string) error {
	img, turns, err := readPicture(filepath.Join(c.folder, filepath.FromSlash(name)))
	if err == nil {
		err = checkRoom(c.folder, 4*(len(c.X)+c.D))
	}
	if err != nil {
		return err
	}
	if turns {
		c.turned++
	}
	c.found = append(c.found, img.Rect.Max)
	img = fit(img, image.Pt(c.Width, c.Height))
	for i := range c.D {
		c.X = append(c.X, share(img.Gray16At(i%c.Width, i/c.Width).Y))
	}
	edge, mean := border(img), 0.0
	for _, v := range edge {
		mean += float64(share(v)) / float64(len(edge))
	}
	c.borders = append(c.borders, mean)
	return nil
}

// mostOpposite is the largest share of images with borders unlike the others' (bright or dark) that has no warning:
// some clothes fill their images.
const mostOpposite = 0.1

// invert turns bright into dark as Options.Invert says. A note tells the mean of all border pixels, in 0..1.
func (c *images) invert(how string) {
	bright := len(filter(c.borders, func(mean float64) bool { return mean > 0.5 }))
	whole := floats.Sum(c.borders) / float64(c.Len())
	automatic := how != "yes" && how != "no"
	if few := min(bright, c.Len()-bright); automatic && float64(few) > mostOpposite*float64(c.Len()) {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d of %s have bright borders, and the others dark ones, but all "+
			"are read alike: put the two kinds into folders of their own", bright, text.Count(c.Len(), "image")))
	}
	if how == "no" || automatic && whole <= 0.5 {
		return
	}
	for i, v := range c.X {
		c.X[i] = 1 - v
	}
	c.Notes = append(c.Notes, fmt.Sprintf("images inverted: the models expect bright strokes on a dark background "+
		"(mean of the borders before: %.2f)", whole))
}

// describe notes the images found, and how many were changed in which way.
func (c *images) describe() {
	byPixels := func(a, b image.Point) int { return cmp.Compare(a.X*a.Y, b.X*b.Y) }
	smallest, largest := slices.MinFunc(c.found, byPixels), slices.MaxFunc(c.found, byPixels)
	if c.sizes = sizeOf(smallest); largest != smallest {
		c.sizes += " to " + sizeOf(largest)
	}
	c.Notes = append(c.Notes, c.Summary())
	want := image.Pt(c.Width, c.Height)
	if n := len(filter(c.found, func(size image.Point) bool { return size != want })); n > 0 {
		c.Notes = append(c.Notes, text.Count(n, "image")+" scaled to "+sizeOf(want)+" pixels")
	}
	if c.turned > 0 {
		c.Notes = append(c.Notes, text.Count(c.turned, "image")+" turned as the EXIF data say")
	}
}

// sizeOf writes height×width.
func sizeOf(size image.Point) string { return fmt.Sprintf("%d×%d", size.Y, size.X) }

func isPictureName(name string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg"}, strings.ToLower(filepath.Ext(name)))
}

func readFolder(folder string, o Options) (*Input, error) {
	if err := (fileFormat{}).uses(folder, o, true); err != nil {
		return nil, err
	}
	names, skipped, err := listPictures(folder)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, usererr.File(folder, 0, "give a folder of images, or name a file of points",
			"the folder holds no PNG or JPEG image (%s)", text.Count(len(skipped), "other file"))
	}
	const side = data.ImageSide
	in := &Input{
		Pool: &data.Pool{D: side * side, Height: side, Width: side}, Names: names,
		Kind: "folder of images", NameColumn: "image",
	}
	c := images{Input: in, folder: folder}
	for _, name := range names {
		if err := c.add(name); err != nil {
			return nil, err
		}
	}
	c.describe()
	c.invert(o.Invert)
	if in.Labels, in.Classes = folderLabels(names); in.Labels != nil && !o.NoLabels {
		in.LabelsFrom = "the names of " + text.Count(len(in.Classes), "sub-folder")
		in.Notes = append(in.Notes, "labels from "+in.LabelsFrom)
	}
	if n := len(skipped); n > 0 {
		in.Notes = append(in.Notes, text.Count(n, "other file")+" skipped: "+text.List(skipped, 3))
	}
	return in, nil
}

// listPictures returns the PNG and JPEG images, by name, and the other files in a folder and its sub-folders: their
// paths relative to it, with slashes, sorted. Hidden files and folders are left out. Links to files are followed; links
// to folders count as other files.
func listPictures(folder string) (pictures, others []string, err error) {
	root := os.DirFS(folder)
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fileio.OpenFault(filepath.Join(folder, filepath.FromSlash(name)), fileio.WithoutPath(err))
		}
		hidden := name != "." && strings.HasPrefix(entry.Name(), ".")
		switch {
		case hidden && entry.IsDir():
			return fs.SkipDir
		case hidden || entry.IsDir():
		default:
			info, err := fs.Stat(root, name)
			if isPictureName(name) && err == nil && info.Mode().IsRegular() {
				pictures = append(pictures, name)
			} else {
				others = append(others, name)
			}
		}
		return nil
	})
	slices.Sort(pictures) // the walk goes folder by folder, which is another order
	slices.Sort(others)
	return pictures, others, err
}

// folderLabels returns the sub-folders of images as labels and classes; nil unless every image lies directly in one.
func folderLabels(names []string) (labels []int32, classes []string) {
	var list classList
	for _, name := range names {
		class, rest, in := strings.Cut(name, "/")
		if !in || strings.Contains(rest, "/") {
			return nil, nil
		}
		list.add(class)
	}
	return list.labels, list.classes
}
