package vision

import (
	"math"
	"strconv"

	"github.com/gfncp/gfncp/models"
)

// The network as the article writes it, in float64 and plain loops over the published shapes: the reference of the
// graph.

// matrix is a list of rows.
type matrix [][]float64

// reference is a network's weights by name.
type reference struct {
	Config
	weights map[string][]float32
}

func newReference(c Config, ps models.Params) reference {
	r := reference{c, map[string][]float32{}}
	for _, p := range ps {
		r.weights[p.Name] = p.Data
	}
	return r
}

// dense is x·wᵀ + b for a weight [out,in].
func (r reference) dense(name string, x []float64) []float64 {
	w, b := r.weights[name+".weight"], r.weights[name+".bias"]
	y := make([]float64, len(b))
	for o := range y {
		y[o] = float64(b[o])
		for i, v := range x {
			y[o] += float64(w[o*len(x)+i]) * v
		}
	}
	return y
}

// norm is layer normalization.
func (r reference) norm(name string, x []float64) []float64 {
	w, b := r.weights[name+".weight"], r.weights[name+".bias"]
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = (v-mean)/math.Sqrt(variance+1e-6)*float64(w[i]) + float64(b[i])
	}
	return y
}

// tokens convolves an image [3,S,S] with the patch kernel [W,3,P,P], stride P, puts the class token before the
// result, and adds the position embeddings.
func (r reference) tokens(image []float32) matrix {
	kernel, bias := r.weights["patch_embed.proj.weight"], r.weights["patch_embed.proj.bias"]
	s, p := r.ImageSize, r.Patch
	rows := matrix{make([]float64, r.Width)}
	for i, v := range r.weights["cls_token"] {
		rows[0][i] = float64(v)
	}
	for top := 0; top < s; top += p {
		for left := 0; left < s; left += p {
			row := make([]float64, r.Width)
			for o := range row {
				row[o] = float64(bias[o])
				for c := range 3 {
					for y := range p {
						for x := range p {
							row[o] += float64(kernel[((o*3+c)*p+y)*p+x]) * float64(image[(c*s+top+y)*s+left+x])
						}
					}
				}
			}
			rows = append(rows, row)
		}
	}
	for n, row := range rows {
		for i := range row {
			row[i] += float64(r.weights["pos_embed"][n*r.Width+i])
		}
	}
	return rows
}

// attention is multi-head self-attention among the rows of x.
func (r reference) attention(name string, x matrix) matrix {
	part := r.Width / r.Heads
	qkv := make(matrix, len(x))
	for n := range x {
		qkv[n] = r.dense(name+".qkv", x[n])
	}
	result := make(matrix, len(x))
	for n := range x {
		var mixed []float64
		for h := range r.Heads {
			q := qkv[n][h*part : (h+1)*part]
			sum, total := make([]float64, part), 0.0
			for m := range x {
				k, v := qkv[m][r.Width+h*part:], qkv[m][2*r.Width+h*part:]
				score := 0.0
				for i := range q {
					score += q[i] * k[i]
				}
				weight := math.Exp(score / math.Sqrt(float64(part)))
				total += weight
				for i := range sum {
					sum[i] += weight * v[i]
				}
			}
			for _, s := range sum {
				mixed = append(mixed, s/total)
			}
		}
		result[n] = r.dense(name+".proj", mixed)
	}
	return result
}

// add adds y to x in place.
func add(x, y []float64) {
	for i := range x {
		x[i] += y[i]
	}
}

// feature is the class token of an image [3,S,S] after all blocks and the last norm.
func (r reference) feature(image []float32) []float64 {
	tokens := r.tokens(image)
	for i := range r.Depth {
		block := "blocks." + strconv.Itoa(i)
		normed := make(matrix, len(tokens))
		for n, row := range tokens {
			normed[n] = r.norm(block+".norm1", row)
		}
		for n, row := range r.attention(block+".attn", normed) {
			add(tokens[n], row)
		}
		for _, row := range tokens {
			hidden := r.dense(block+".mlp.fc1", r.norm(block+".norm2", row))
			for j, v := range hidden {
				hidden[j] = v * 0.5 * (1 + math.Erf(v/math.Sqrt2))
			}
			add(row, r.dense(block+".mlp.fc2", hidden))
		}
	}
	return r.norm("norm", tokens[0])
}
