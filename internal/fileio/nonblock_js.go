package fileio

// nonBlock is 0: programs in a browser meet no pipes.
const nonBlock = 0
