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

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// maxPixels is the largest picture that is decoded, in pixels.
const maxPixels = 64_000_000

// picture is a grey image: pixels in 0..1, row by row.
type picture struct {
	size Size
	pix  []float32

	colour bool // it had pixels that were not grey
	alpha  bool // it had pixels that were not opaque
	turns  bool // it was turned as its EXIF data say
}

// luma is the brightness of a colour by ITU-R BT.601. Greys are not rounded.
func luma(r, g, b float32) float32 {
	if r == g && g == b {
		return r
	}
	return 0.299*r + 0.587*g + 0.114*b
}

// readPicture decodes a PNG or JPEG file into greys over white, turned as its EXIF data say.
func readPicture(path string) (picture, error) {
	f, err := fileio.Open(path)
	if err != nil {
		return picture{}, err
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
		return picture{}, fault(err)
	}
	if int64(config.Width)*int64(config.Height) > maxPixels {
		return picture{}, usererr.File(path, 0, "make it smaller", "has %d×%d pixels, more than %d million",
			config.Height, config.Width, maxPixels/1_000_000)
	}
	const needed = 16 // bytes of a pixel, in the picture and in the greys
	if err := checkRoom(path, needed*config.Width*config.Height/3); err != nil {
		return picture{}, err
	}
	_, _ = f.Seek(0, io.SeekStart) // of a regular file
	img, _, err := image.Decode(f)
	if err != nil {
		return picture{}, fault(err)
	}
	return greyPicture(img.(image.RGBA64Image)).turned(orientation(f, kind)), nil // as all images of these decoders are
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

// turned returns the picture as an EXIF orientation shows it.
func (p picture) turned(orientation int) picture {
	if orientation == 1 {
		return p
	}
	size := p.size
	sides := orientation > 4 // rows become columns
	if sides {
		size = Size{p.size.Width, p.size.Height}
	}
	pix := make([]float32, len(p.pix))
	for i := range pix {
		y, x := i/size.Width, i%size.Width
		if sides {
			y, x = x, y
		}
		if slices.Contains([]int{2, 3, 7, 8}, orientation) { // the first column lies right, or below
			x = p.size.Width - 1 - x
		}
		if slices.Contains([]int{3, 4, 6, 7}, orientation) { // the first row lies below, or right
			y = p.size.Height - 1 - y
		}
		pix[i] = p.pix[y*p.size.Width+x]
	}
	p.size, p.pix, p.turns = size, pix, true
	return p
}

func greyPicture(img image.RGBA64Image) picture {
	bounds := img.Bounds()
	p := picture{size: Size{bounds.Dy(), bounds.Dx()}, pix: make([]float32, 0, bounds.Dx()*bounds.Dy())}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := img.RGBA64At(x, y) // premultiplied by alpha; over white, the rest up to full alpha is white
			p.colour = p.colour || c.R != c.G || c.G != c.B
			p.alpha = p.alpha || c.A != 0xffff
			white := float32(0xffff - c.A)
			v := luma(float32(c.R)+white, float32(c.G)+white, float32(c.B)+white) / 0xffff
			p.pix = append(p.pix, min(v, 1))
		}
	}
	return p
}

// fit scales a picture to the largest size within want that keeps its aspect ratio, by Catmull-Rom interpolation, and
// centres it on its background colour, the median of its border. Values are rounded to 1/65535.
func (p picture) fit(want Size) picture {
	if p.size == want {
		return p
	}
	scale := min(float64(want.Height)/float64(p.size.Height), float64(want.Width)/float64(p.size.Width))
	h := min(want.Height, max(1, int(math.Round(float64(p.size.Height)*scale))))
	w := min(want.Width, max(1, int(math.Round(float64(p.size.Width)*scale))))
	from := image.NewGray16(image.Rect(0, 0, p.size.Width, p.size.Height))
	for i, v := range p.pix {
		from.SetGray16(i%p.size.Width, i/p.size.Width, gray16(v))
	}
	to := image.NewGray16(image.Rect(0, 0, want.Width, want.Height))
	border := slices.Sorted(slices.Values(p.border(nil)))
	background := image.NewUniform(gray16(border[len(border)/2])) // the upper one of two in the middle
	draw.Draw(to, to.Bounds(), background, image.Point{}, draw.Src)
	top, left := (want.Height-h)/2, (want.Width-w)/2
	draw.CatmullRom.Scale(to, image.Rect(left, top, left+w, top+h), from, from.Bounds(), draw.Src, nil)
	p.size, p.pix = want, make([]float32, want.pixels())
	for i := range p.pix {
		p.pix[i] = float32(to.Gray16At(i%want.Width, i/want.Width).Y) / 0xffff
	}
	return p
}

func gray16(v float32) color.Gray16 { return color.Gray16{Y: uint16(math.Round(float64(v) * 0xffff))} }

// border appends the border pixels to values.
func (p picture) border(values []float32) []float32 {
	h, w := p.size.Height, p.size.Width
	for i, v := range p.pix {
		if y, x := i/w, i%w; y == 0 || y == h-1 || x == 0 || x == w-1 {
			values = append(values, v)
		}
	}
	return values
}

// poolSize is the size of the images of a pool.
var poolSize = Size{data.ImageSide, data.ImageSide}

// images are the pictures of a folder that have been read so far.
type images struct {
	*Input
	folder string    // for messages
	read   []picture // all of them, without pixels
}

func (c *images) add(name string, p picture) error {
	if err := checkRoom(c.folder, 4*(len(c.X)+poolSize.pixels())); err != nil {
		return err
	}
	c.Names = append(c.Names, name)
	c.X = append(c.X, p.fit(poolSize).pix...)
	p.pix = nil
	c.read = append(c.read, p)
	return nil
}

// mostOpposite is the largest share of images with borders unlike the others' (bright or dark) that has no warning:
// some clothes fill their images.
const mostOpposite = 0.1

// invert turns bright into dark as Options.Invert says. A note tells the mean of all border pixels, in 0..1.
func (c *images) invert(how string) {
	var border []float32
	bright, sum := 0, 0.0
	for i := range c.Len() {
		border = picture{size: poolSize, pix: c.Point(i)}.border(border[:0])
		mean := 0.0
		for _, v := range border {
			mean += float64(v) / float64(len(border))
		}
		if sum += mean; mean > 0.5 {
			bright++
		}
	}
	whole := sum / float64(c.Len())
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
	byPixels := func(a, b picture) int { return cmp.Compare(a.size.pixels(), b.size.pixels()) }
	smallest, largest := slices.MinFunc(c.read, byPixels).size, slices.MaxFunc(c.read, byPixels).size
	if c.sizes = smallest.String(); largest != smallest {
		c.sizes += " to " + largest.String()
	}
	c.Notes = append(c.Notes, c.Summary())
	note := func(is func(picture) bool, done, noun string, plural ...string) {
		if n := len(filter(c.read, is)); n > 0 {
			c.Notes = append(c.Notes, text.Count(n, noun, plural...)+done)
		}
	}
	note(func(p picture) bool { return p.size != poolSize }, " scaled to "+poolSize.String()+" pixels", "image")
	note(func(p picture) bool { return p.colour }, " turned to grey (Rec. 601 luma)", "colour image")
	note(func(p picture) bool { return p.alpha }, " laid over white",
		"image with transparent pixels", "images with transparent pixels")
	note(func(p picture) bool { return p.turns }, " turned as the EXIF data say", "image")
}

func isPictureName(name string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg"}, strings.ToLower(filepath.Ext(name)))
}

func readFolder(folder string, o Options) (*Input, error) {
	names, skipped, err := listPictures(folder)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, usererr.File(folder, 0, "give a folder of images, or name a file of points",
			"the folder holds no PNG or JPEG image (%s)", text.Count(len(skipped), "other file"))
	}
	in := &Input{Pool: &data.Pool{}, Kind: "folder of images", NameColumn: "image"}
	in.D, in.Height, in.Width = poolSize.pixels(), poolSize.Height, poolSize.Width
	c := images{Input: in, folder: folder}
	for _, name := range names {
		p, err := readPicture(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if err := c.add(name, p); err != nil {
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
		shown := strings.Join(skipped[:min(n, 3)], ", ")
		if n > 3 {
			shown += ", …"
		}
		in.Notes = append(in.Notes, text.Count(n, "other file")+" skipped: "+shown)
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
