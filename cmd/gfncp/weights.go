//go:build !thin

package main

import _ "github.com/gfncp/gfncp/pretrained" // the models that --model knows by name
