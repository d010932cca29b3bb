// Package pjrtapi stands between go-xla and a PJRT plugin. It tells which version of the API the plugin has: go-xla is
// built for 0.104, does not look, and newer plugins refuse arguments whose structs are smaller than their own, so they
// get larger ones. And it takes compiled programs from the cache of package programs, which it fills.
package pjrtapi
