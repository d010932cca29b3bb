package vision

import (
	"image"
	"math"
)

// What timm does with an image before this network: pretrained_cfg in the config.json of
// https://huggingface.co/timm/vit_small_patch16_224.dino (crop_pct 0.9, crop_mode center, interpolation bicubic, mean, std)
// and transforms_imagenet_eval in timm/data/transforms_factory.py.
const cropShare = 0.9

var (
	channelMean = [channels]float64{0.485, 0.456, 0.406}
	channelStd  = [channels]float64{0.229, 0.224, 0.225}
)

// Prepare turns an image into the network's input [3,size,size]: its shorter side is scaled to ⌊size/0.9⌋ pixels (248 for
// 224) by bicubic interpolation with antialiasing, the size×size pixels in the middle are kept, and each channel is divided
// by 255 and standardized with ImageNet's mean and standard deviation.
func Prepare(img image.Image, size int) []float32 {
	crop := toRGB(img).scaledCrop(size)
	values := make([]float32, channels*size*size)
	for i, v := range crop.pix {
		pixel, c := i/channels, i%channels
		values[c*size*size+pixel] = float32((float64(v)/255 - channelMean[c]) / channelStd[c])
	}
	return values
}

// scaledCrop scales an image and keeps the size×size pixels in the middle.
func (m rgb) scaledCrop(size int) rgb {
	width, height := scaledSize(m.width, m.height, int(math.Floor(float64(size)/cropShare)))
	return m.resize(width, height, window{middle(width, size), middle(height, size), size, size})
}

// scaledSize scales a size so that its shorter side becomes short; the longer side is rounded down (torchvision's Resize).
func scaledSize(width, height, short int) (int, int) {
	if width <= height {
		return short, short * height / width
	}
	return short * width / height, short
}

// middle is where the size pixels in the middle of length begin; a half is rounded to even (torchvision's CenterCrop).
func middle(length, size int) int { return int(math.RoundToEven(float64(length-size) / 2)) }
