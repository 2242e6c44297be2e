"""A command on a pseudo terminal.

usage: terminal.py COLUMNS ROWS COMMAND...
Prints what the command wrote to the terminal (stdout and stderr), each escape as <ESC>, each lone carriage return as <CR>
and a new line; ends with its exit status. COLUMNS and ROWS in the environment are taken away.
"""
import fcntl
import os
import pty
import struct
import sys
import termios


def main():
    size = struct.pack("HHHH", int(sys.argv[2]), int(sys.argv[1]), 0, 0)
    ready, go = os.pipe()
    pid, fd = pty.fork()
    if pid == 0:
        os.close(go)
        os.read(ready, 1)  # the size is set
        for name in ("COLUMNS", "LINES"):
            os.environ.pop(name, None)
        os.environ["TERM"] = "xterm"
        os.execvp(sys.argv[3], sys.argv[3:])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, size)
    os.close(ready)
    os.close(go)
    out = b""
    while True:
        try:
            got = os.read(fd, 65536)
        except OSError:
            break
        if not got:
            break
        out += got
    text = out.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "<CR>\n").replace("\x1b", "<ESC>")
    sys.stdout.write(text)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


main()
