"""Runs a command on a terminal of its own and closes that terminal once the invocation runs: terminal.py ROOT COMMAND..."""
import glob
import os
import pty
import sys
import time

pid, master = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
end = time.monotonic() + 30
while not glob.glob(sys.argv[1] + "/invocations/*/driver/*/request.json") and time.monotonic() < end:
    time.sleep(0.005)
os.close(master)  # the kernel sends SIGHUP to the session of the terminal
_, status = os.waitpid(pid, 0)
print("ended", os.WIFEXITED(status) and os.WEXITSTATUS(status))
