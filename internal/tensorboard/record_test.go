package tensorboard

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// The masked CRC of TensorFlow's own files. Sources: tensorboard/data/server/masked_crc.rs (the first, "from a real
// TFRecord") and tf_record.rs (the second: a length of 24, as at the head of nearly every event file).
func TestMaskedCRC(t *testing.T) {
	for _, test := range []struct {
		data string
		want uint32
	}{
		{"\x1a\x11CRC test, one two", 0x5794d08a},
		{"\x18\x00\x00\x00\x00\x00\x00\x00", 0x224b7fa3},
	} {
		if got := maskedCRC([]byte(test.data)); got != test.want {
			t.Errorf("masked CRC of %q is %#08x, want %#08x", test.data, got, test.want)
		}
	}
}

// float64 seconds of a time whose bits are given; the sources below have them as bytes.
func timeOf(bits uint64) time.Time {
	return time.Unix(0, int64(math.Float64frombits(bits)*1e9))
}

// The bytes that other programs write for the same events: "version" is from a file of TensorFlow (tensorboard's
// data/server/tf_record.rs), "first" and "value" are from TeamHG-Memex/tensorboard_logger's tests/test_tensorboard_logger.py.
func TestKnownRecords(t *testing.T) {
	for _, test := range []struct {
		name  string
		event Event
		want  string
	}{
		{
			"version",
			Event{Time: timeOf(0x41d7d69938800000), Version: version},
			"\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22\x09\x00\x00\x80\x38\x99\xd6\xd7\x41\x1a\x0dbrain.Event:2\x12\x4b\x36\xab",
		},
		{
			"first",
			Event{Time: timeOf(0x4070080000000000), Version: version},
			"\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7fK\"\t\x00\x00\x00\x00\x00\x08p@\x1a\rbrain.Event:2\xbc\x98!+",
		},
		{
			"value",
			Event{Time: timeOf(0x4070080000000000), Step: 1, Scalars: []Scalar{{"v/1", 1.5}}},
			"\x19\x00\x00\x00\x00\x00\x00\x00\x8b\xf1\x08(\t\x00\x00\x00\x00\x00\x08p@\x10\x01*\x0c\n\n\n\x03v/1\x15\x00\x00\xc0?,\xec\xc0\x87",
		},
	} {
		got := appendRecord(nil, test.event.encode())
		if string(got) != test.want {
			t.Errorf("%s is written as\n%q, want\n%q", test.name, got, test.want)
		}
		data, rest, err := cutRecord([]byte(test.want))
		if err != nil || len(rest) > 0 || !bytes.Equal(data, test.event.encode()) {
			t.Errorf("%s is read as %q, %q, %v", test.name, data, rest, err)
		}
	}
}

// A record whose every byte matters: a flipped one is found, and each proper prefix is an unfinished record.
func TestDamagedRecord(t *testing.T) {
	record := appendRecord(nil, []byte("twelve bytes"))
	for i := range record {
		damaged := slices.Clone(record)
		damaged[i] ^= 0x10
		if _, _, err := cutRecord(damaged); !errors.Is(err, errCorrupt) {
			t.Errorf("byte %d flipped: error %v", i, err)
		}
		if data, _, err := cutRecord(record[:i]); data != nil || err != nil {
			t.Errorf("the first %d bytes are taken for a record: %q, %v", i, data, err)
		}
	}
}

// TensorFlow's newer writers store more than this package does: tf.summary.scalar("accuracy", 0.99, step=77) (the bytes are
// from tf_record.rs). The step is read; its value is a tensor with metadata and is passed over.
func TestForeignEvent(t *testing.T) {
	e := must.M1(decodeEvent([]byte("\x09\xc4\x05\xb7\x3d\x99\xd6\xd7\x41\x10\x4d\x2a\x25\x0a\x23\x0a\x08accuracy" +
		"\x42\x0a\x08\x01\x12\x00\x22\x04\xa4\x70\x7d\x3f\x4a\x0b\x0a\x09\x0a\x07scalars")))
	if e.Step != 77 || len(e.Scalars) != 0 || e.Time.Year() != 2020 {
		t.Errorf("read %+v", e)
	}
	if _, err := decodeEvent([]byte("\x09\xc4\x05")); err == nil {
		t.Error("a cut message is read without an error")
	}
}
