// Package programs keeps compiled programs in a folder: entries by the hash of what they were compiled from and for,
// each with a checksum, in a bounded number of bytes. Several processes may use a folder at once. What a program is,
// and how it is loaded, belongs to package pjrtapi.
package programs
