package serving

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// whenUnread calls do when nobody can read the pipe out any more, because its reader has closed it or has ended.
func whenUnread(out io.Writer, do func()) {
	file, is := out.(*os.File)
	if !is {
		return
	}
	poll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return
	}
	fd := int(file.Fd())
	if err := syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Fd: int32(fd)}); err != nil {
		_ = syscall.Close(poll) // out is a regular file
		return
	}
	go func() {
		defer func() { _ = syscall.Close(poll) }()
		for err := error(syscall.EINTR); errors.Is(err, syscall.EINTR); {
			var n int
			if n, err = syscall.EpollWait(poll, make([]syscall.EpollEvent, 1), -1); n > 0 {
				do()
			}
		}
	}()
}
