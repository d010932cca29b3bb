// Package tensorboard writes TensorBoard's event files: curves of numbers over training steps. What the curves mean,
// and the clock, belong to the caller.
//
// An event file is a sequence of TFRecords, each holding one Event message (tensorboard/compat/proto/event.proto in
// github.com/tensorflow/tensorboard).
package tensorboard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/gfncp/gfncp/internal/fileio"
)

// prefix is how the names of event files begin; ten digits of Unix time follow.
const prefix = "events.out.tfevents."

// Writer appends events to one file. It is not safe for concurrent use.
//
// Each call hands whole records to the operating system in one write: a killed process loses no event, and a machine
// that fails loses the events since the last Sync. A failed write may leave half a record: close the Writer then.
type Writer struct{ file *os.File }

// Create starts the curves of dir anew, from the first step: older event files are removed, and an event tells viewers
// that their curves are void. dir is created if it does not exist. The file's name has the time now.
func Create(dir string, now time.Time) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create the events directory: %w", err)
	}
	for _, path := range fileio.Matching(dir, prefix+"*") {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("remove an older event file: %w", err)
		}
	}
	path := filepath.Join(dir, fmt.Sprintf("%s%010d", prefix, now.Unix()))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create an event file: %w", err)
	}
	w := &Writer{file}
	if err := w.write(versionEvent(now), startEvent(now)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// Add appends the values of a step, as one event.
func (w *Writer) Add(at time.Time, step int, scalars ...Scalar) error {
	return w.write(scalarsEvent(at, step, scalars))
}

func (w *Writer) write(events ...[]byte) error {
	var records []byte
	for _, e := range events {
		records = appendRecord(records, e)
	}
	if _, err := w.file.Write(records); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return nil
}

// Sync writes added events to disk, so that they outlive a failure of the machine.
func (w *Writer) Sync() error {
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("sync events: %w", err)
	}
	return nil
}

// Close syncs and closes the file.
func (w *Writer) Close() error { return errors.Join(w.Sync(), w.file.Close()) }

// Scalar is one point of the curve named Tag; slashes group tags, as in "train/loss". Files hold values as float32.
type Scalar struct {
	Tag   string
	Value float64
}

const version = "brain.Event:2"

// The field numbers of event.proto and summary.proto.
const (
	eventTime, eventStep, eventVersion, eventSummary, eventSession = 1, 2, 3, 5, 7

	summaryValue          = 1
	valueTag, valueSimple = 1, 2 // simple_value needs no metadata: TensorBoard takes it for a scalar
	sessionStatus         = 1
	sessionStart          = 1 // SessionLog.START
)

// event returns an Event message with one bytes field beside time and step.
func event(at time.Time, step int, field protowire.Number, content []byte) []byte {
	seconds := float64(at.UnixNano()) / 1e9
	m := protowire.AppendTag(nil, eventTime, protowire.Fixed64Type)
	m = protowire.AppendFixed64(m, math.Float64bits(seconds))
	if step != 0 {
		m = protowire.AppendTag(m, eventStep, protowire.VarintType)
		m = protowire.AppendVarint(m, uint64(step))
	}
	return appendBytes(m, field, content)
}

func versionEvent(at time.Time) []byte { return event(at, 0, eventVersion, []byte(version)) }

// startEvent begins a session at step 1: it makes values of this step and later ones from other files void.
func startEvent(at time.Time) []byte {
	status := protowire.AppendTag(nil, sessionStatus, protowire.VarintType)
	return event(at, 1, eventSession, protowire.AppendVarint(status, sessionStart))
}

func scalarsEvent(at time.Time, step int, scalars []Scalar) []byte {
	var summary []byte
	for _, s := range scalars {
		value := appendBytes(nil, valueTag, []byte(s.Tag))
		value = protowire.AppendTag(value, valueSimple, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(s.Value)))
		summary = appendBytes(summary, summaryValue, value)
	}
	return event(at, step, eventSummary, summary)
}

func appendBytes(m []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), content)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC is the CRC-32C of data, rotated right by 15 bits, plus 0xa282ead8. LevelDB (util/crc32c.h) gives the
// reason: the CRC of data that holds a CRC is a poor checksum.
func maskedCRC(data []byte) uint32 {
	return bits.RotateLeft32(crc32.Checksum(data, castagnoli), -15) + 0xa282ead8
}

// appendRecord appends data as one TFRecord (tensorflow.org, "TFRecord and tf.train.Example", section "TFRecords format
// details"):
//
//	uint64  length of data, little-endian
//	uint32  masked CRC of the eight length bytes
//	bytes   data
//	uint32  masked CRC of data
func appendRecord(file, data []byte) []byte {
	start := len(file)
	file = binary.LittleEndian.AppendUint64(file, uint64(len(data)))
	file = binary.LittleEndian.AppendUint32(file, maskedCRC(file[start:]))
	file = append(file, data...)
	return binary.LittleEndian.AppendUint32(file, maskedCRC(data))
}
