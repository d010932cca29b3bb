package gfncp

// Version is the semantic version of this module. Nothing else states it: releases, wheels and addresses read it here.
const Version = "0.1.0"
