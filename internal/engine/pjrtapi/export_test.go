package pjrtapi

// AheadKey is for tests, which cannot describe a processor to its plugin as a GPU is described.
var AheadKey = aheadKey
