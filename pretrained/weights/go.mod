module github.com/gfncp/gfncp/pretrained/weights

go 1.27.0
