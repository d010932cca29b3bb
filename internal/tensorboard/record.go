package tensorboard

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/bits"
)

// A TFRecord is
//
//	uint64  length of data, little-endian
//	uint32  masked CRC of the eight length bytes
//	bytes   data
//	uint32  masked CRC of data
//
// (tensorflow.org, "TFRecord and tf.train.Example", section "TFRecords format details").
const (
	headerLength = 8 + 4
	footerLength = 4
)

// errCorrupt marks a record whose checksum is wrong.
var errCorrupt = errors.New("checksum does not match")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC is the CRC-32C of data, rotated right by 15 bits, plus 0xa282ead8. LevelDB (util/crc32c.h) gives the reason:
// the CRC of data that holds a CRC is a poor checksum.
func maskedCRC(data []byte) uint32 {
	return bits.RotateLeft32(crc32.Checksum(data, castagnoli), -15) + 0xa282ead8
}

// appendRecord appends data as one TFRecord.
func appendRecord(file, data []byte) []byte {
	start := len(file)
	file = binary.LittleEndian.AppendUint64(file, uint64(len(data)))
	file = binary.LittleEndian.AppendUint32(file, maskedCRC(file[start:]))
	file = append(file, data...)
	return binary.LittleEndian.AppendUint32(file, maskedCRC(data))
}

// cutRecord splits the first record's data off. It returns nil data when file ends before the record does, as after a crash.
func cutRecord(file []byte) (data, rest []byte, err error) {
	if len(file) < headerLength {
		return nil, nil, nil
	}
	if binary.LittleEndian.Uint32(file[8:]) != maskedCRC(file[:8]) {
		return nil, nil, errCorrupt
	}
	length := binary.LittleEndian.Uint64(file)
	file = file[headerLength:]
	if uint64(len(file)) < footerLength || uint64(len(file))-footerLength < length {
		return nil, nil, nil
	}
	data, rest = file[:length:length], file[length:]
	if binary.LittleEndian.Uint32(rest) != maskedCRC(data) {
		return nil, nil, errCorrupt
	}
	return data, rest[footerLength:], nil
}
