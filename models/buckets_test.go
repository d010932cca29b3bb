package models

import "testing"

// Every rule rounds up, never falls, and leaves its own results as they are.
func TestBucketsRoundUp(t *testing.T) {
	for name, rule := range map[string]func(int) int{
		"fine points": FineBuckets.Points, "fine rows": FineBuckets.Rows, "fine slots": FineBuckets.Slots,
		"coarse points": CoarseBuckets.Points, "coarse rows": CoarseBuckets.Rows, "coarse slots": CoarseBuckets.Slots,
	} {
		before := 0
		for n := 1; n <= 20_000; n++ {
			size := rule(n)
			if size < n || size < before || rule(size) != size {
				t.Fatalf("%s: %d becomes %d after %d, and %d becomes %d", name, n, size, before, size, rule(size))
			}
			before = size
		}
		if size := rule(0); size < 0 || size > rule(1) {
			t.Errorf("%s: 0 becomes %d", name, size)
		}
	}
}

// Padding of the fine rule: at most 7 points, 3 slots, and rows below 1/16 or 32, whichever is more.
func TestFineBucketsPadLittle(t *testing.T) {
	for n := 1; n <= 20_000; n++ {
		if points, slots := FineBuckets.Points(n)-n, FineBuckets.Slots(n)-n; points > 7 || slots > 3 {
			t.Fatalf("%d: %d points and %d slots of padding", n, points, slots)
		}
		if rows := FineBuckets.Rows(n) - n; rows >= max(32, n/16+1) {
			t.Fatalf("%d rows: %d of padding", n, rows)
		}
	}
}

// The coarse rule has few sizes. Up to 1,000 points: 16 32 48 64, then four an octave, 80 96 112 128 to 1024. Up to 100
// slots: 4 8 12 16, then two an octave, 24 32 to 96 128. Up to 100,000 rows: 64 128 192 256, then four an octave, 320
// 384 448 512 to 81,920 98,304 114,688.
func TestCoarseBucketsAreFew(t *testing.T) {
	for _, test := range []struct {
		name        string
		rule        func(int) int
		most, sizes int
	}{
		{"points", CoarseBuckets.Points, 1_000, 4 + 4*4},
		{"slots", CoarseBuckets.Slots, 100, 4 + 2*3},
		{"rows", CoarseBuckets.Rows, 100_000, 4 + 4*8 + 3},
	} {
		sizes := map[int]bool{}
		for n := 1; n <= test.most; n++ {
			size := test.rule(n)
			sizes[size] = true
			if size > 2*n && size > test.rule(1) {
				t.Errorf("%s: %d becomes %d, more than twice as much", test.name, n, size)
			}
		}
		if len(sizes) != test.sizes {
			t.Errorf("%s: %d sizes up to %d, want %d", test.name, len(sizes), test.most, test.sizes)
		}
	}
}

func TestBucketsFor(t *testing.T) {
	for name, fine := range map[string]bool{"Go Backend": true, "xla:cuda - PJRT": false, "onnxruntime": false} {
		if got := BucketsFor(name).Rows(33) == FineBuckets.Rows(33); got != fine { // 64 against 256
			t.Errorf("BucketsFor(%q) is the fine rule: %v, want %v", name, got, fine)
		}
	}
}
