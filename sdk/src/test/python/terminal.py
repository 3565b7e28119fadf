"""Plays a script on a pseudo-terminal: python3 terminal.py SCRIPT PROGRAM ARGUMENT...

The screen is kept as a terminal would show it, as far as `headgate top` needs: cursor addresses, clearing, and the
alternate screen. Each line of the script is a step; a step that does not succeed within a minute ends the play with
exit code 1 and what the screen shows.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

PATIENCE_S = 60
KEYS = {
    "<enter>": "\r",
    "<escape>": "\x1b",
    "<up>": "\x1b[A",
    "<down>": "\x1b[B",
    "<backspace>": "\x7f",
    "<ctrl-c>": "\x03",
}
SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")


class Screen:
    """The lines that a terminal shows."""

    def __init__(self, columns, rows):
        self.lines = {}
        self.row = 0
        self.column = 0
        self.alternate = False
        self.was_alternate = False
        self.cursor_shown = True
        self.columns, self.rows = columns, rows
        self.rest = ""
        self.all = ""

    def feed(self, text):
        self.all += text
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = SEQUENCE.match(text, at)
                if found is None:
                    if len(text) - at < 16:
                        self.rest = text[at:]
                        return
                    at += 1
                    continue
                self.control(found.group(1), found.group(2))
                at = found.end()
            else:
                self.put(text[at])
                at += 1

    def put(self, character):
        if character == "\n":
            self.row += 1
        elif character == "\r":
            self.column = 0
        else:
            line = self.lines.get(self.row, "").ljust(self.column)
            self.lines[self.row] = line[: self.column] + character + line[self.column + 1 :]
            self.column += 1

    def control(self, numbers, what):
        if what == "H":
            row, _, column = numbers.partition(";")
            self.row, self.column = int(row or 1) - 1, int(column or 1) - 1
        elif what == "K":
            self.lines[self.row] = self.lines.get(self.row, "")[: self.column]
        elif what == "J":
            self.lines = {}
        elif what in "hl" and numbers == "?1049":
            self.alternate = what == "h"
            self.was_alternate |= self.alternate
            self.lines = {}
        elif what in "hl" and numbers == "?25":
            self.cursor_shown = what == "h"

    def text(self):
        return "\n".join(self.lines[row].rstrip() for row in sorted(self.lines))


class Play:
    def __init__(self, words):
        self.screen = Screen(80, 24)
        self.child, self.fd = pty.fork()
        if self.child == 0:
            # A test run in the background ignores Ctrl-C, and programs inherit that.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execvp(words[0], words)
        self.size(80, 24)
        self.before = termios.tcgetattr(self.fd)
        self.open = True

    def size(self, columns, rows):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.columns, self.screen.rows = columns, rows

    def read(self):
        ready, _, _ = select.select([self.fd], [], [], 0.05)
        if not ready or not self.open:
            return
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        if not data:
            self.open = False
            return
        self.screen.feed(data.decode("utf-8", "replace"))

    def until(self, what, condition):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > end:
                fail(what, self.screen)
            self.read()

    def step(self, line):
        word, _, rest = line.partition(" ")
        if word == "see":
            self.until(line, lambda: rest in self.screen.text())
        elif word == "gone":
            self.until(line, lambda: rest not in self.screen.text())
        elif word == "type":
            for key in re.findall(r"<[a-z-]+>|.", rest):
                os.write(self.fd, KEYS.get(key, key).encode())
        elif word == "size":
            self.size(*map(int, rest.split()))
        elif word == "kill":
            os.kill(self.child, getattr(signal, "SIG" + rest))
        elif word == "touch":
            open(rest, "w").close()
        elif word == "end":
            self.end(int(rest))
        else:
            fail("unknown step " + line, self.screen)

    def end(self, code):
        end = time.monotonic() + PATIENCE_S
        while True:
            # The settings are those of the terminal, and go with its last user.
            try:
                self.after = termios.tcgetattr(self.fd)
            except termios.error:
                pass
            done, status = os.waitpid(self.child, os.WNOHANG)
            if done:
                break
            if time.monotonic() > end:
                fail("the program does not end", self.screen)
            self.read()
        while self.open and select.select([self.fd], [], [], 0.2)[0]:
            self.read()
        got = os.waitstatus_to_exitcode(status)
        got = 128 - got if got < 0 else got
        if got != code:
            fail("exit code %d, not %d" % (got, code), self.screen)
        if self.after[:4] != self.before[:4]:
            fail("the terminal's settings are %s, not %s" % (self.after[:4], self.before[:4]), self.screen)
        if self.screen.alternate or not self.screen.cursor_shown:
            fail("the terminal is left with the alternate screen or without a cursor", self.screen)


def fail(what, screen):
    print("FAILED:", what)
    print(screen.text())
    print("all:", repr(screen.all[-3000:]))
    sys.exit(1)


def main():
    play = Play(sys.argv[2:])
    with open(sys.argv[1], encoding="utf-8") as script:
        for line in script:
            if line.strip():
                play.step(line.rstrip("\n"))
    print(play.screen.all if not play.screen.was_alternate else "")


main()
