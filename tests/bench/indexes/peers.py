"""The search indexes that take part: how each is built, asked and ended, as its documentation says.

Each keeps its files in a folder of its own. Daemons listen on loopback or a Unix socket.
"""

import json
import os
import re
import resource
import select
import subprocess
import time

#: A daemon that wants more memory than this fails.
MOST_MEMORY = 8 << 30

#: No answer may take longer. In seconds.
LONGEST_ANSWER = 60

#: How Toolcrib says that an index answered.
WARM = b'"index":"warm"'

TICKS = os.sysconf("SC_CLK_TCK")


class TooSlow(Exception):
    pass


class NoIndex(Exception):
    pass


def processor_of(pid):
    """Seconds of the processor that a process has had, and the children that it waited for; see proc_pid_stat(5)."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(") ", 1)[1].split()
    return sum(map(int, fields[11:15])) / TICKS


def anonymous_memory(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) * 1024


def grep_lines(raw):
    """The file and the line's number of each line of grep's output."""
    found = set()
    for line in raw.split(b"\n"):
        parts = line.split(b":", 2)
        if len(parts) == 3 and parts[1].isdigit():
            found.add((os.path.normpath(parts[0].decode(errors="replace")), int(parts[1])))
    return found


class Question:
    def __init__(self, name, pattern, regex=False, ignore_case=False):
        self.name, self.pattern, self.regex, self.ignore_case = name, pattern, regex, ignore_case


class Peer:
    """One index over one tree. `ask` gives the answer as it comes, and `lines` reads it."""

    #: Whether a process is started for each question.
    process = True
    #: What has to be done after a change, if nothing watches the tree.
    by_hand = None
    #: What it puts into the tree, if it can do no other.
    litter = None

    def __init__(self, tools, tree, folder, within):
        self.tools, self.tree, self.folder = tools, tree, folder
        self.until = time.monotonic() + within
        self.daemon = None
        self.processor = 0.0
        # How many answers came without the index, of an index that says so.
        self.scans = self.after_scans = 0
        folders = {name: os.path.join(folder, name) for name in ("HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")}
        for path in folders.values():
            os.makedirs(path, mode=0o700)
        self.environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **folders, **self.variables()}

    def variables(self):
        return {}

    def index_folder(self):
        return self.folder

    def build(self):
        """Builds the index, and comes back when it is used."""

    def run(self, command):
        """Runs a step of building to its end."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command,
            cwd=self.tree,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
            timeout=max(1, self.until - time.monotonic()),
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.processor += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def serve(self, command, **streams):
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **streams}
        self.daemon = subprocess.Popen(command, cwd=self.tree, env=self.environment, **streams)
        resource.prlimit(self.daemon.pid, resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))

    def wait(self, ready):
        """Waits until a daemon says that it is ready, and notes what it took."""
        while not ready():
            if self.daemon.poll() is not None:
                raise NoIndex(f"the daemon ended with {self.daemon.returncode}")
            if time.monotonic() > self.until:
                raise TooSlow
            time.sleep(0.2)
        self.processor += processor_of(self.daemon.pid)

    def exchange(self, message, within=LONGEST_ANSWER):
        """Sends a line to a daemon, if there is one, and receives a line."""
        if message:
            self.daemon.stdin.write(json.dumps(message).encode() + b"\n")
            self.daemon.stdin.flush()
        output = self.daemon.stdout.fileno()
        parts = []
        while not parts or not parts[-1].endswith(b"\n"):
            if not select.select([output], [], [], within)[0]:
                raise TooSlow
            parts.append(os.read(output, 1 << 20))
            if not parts[-1]:
                raise NoIndex(f"the daemon ended with {self.daemon.wait(10)}")
        return b"".join(parts)

    def told(self, *command):
        """What a command prints; nothing if it fails."""
        done = subprocess.run(
            command,
            cwd=self.tree,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST_ANSWER,
        )
        return (done.stdout + done.stderr).decode(errors="replace")

    def ask(self, question):
        done = subprocess.run(
            self.command(question),
            cwd=self.tree,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST_ANSWER,
        )
        # All of them end with 1 if nothing matches, and say so in no other way.
        if done.returncode not in (0, 1) or done.returncode == 1 and done.stdout:
            raise NoIndex(f"a search ended with {done.returncode}: {done.stderr[:200]}")
        return done.stdout

    def lines(self, raw):
        return {(os.path.relpath(path, self.tree) if os.path.isabs(path) else path, n) for path, n in grep_lines(raw)}

    def settle(self):
        """Lets the index take note of what others did, and says how long the first question took."""
        began = time.perf_counter()
        self.ask(NO_MATCH)
        return time.perf_counter() - began

    def memory(self):
        return anonymous_memory(self.daemon.pid) if self.daemon else None

    def stop(self):
        if self.daemon and self.daemon.poll() is None:
            self.daemon.terminate()
            try:
                self.daemon.wait(10)
            except subprocess.TimeoutExpired:
                self.daemon.kill()
                self.daemon.wait()


class Ripgrep(Peer):
    """What all are compared with."""

    def command(self, question):
        flags = ["-i"] if question.ignore_case else []
        return [self.tools.program("rg"), "-n", "--no-heading", "--color=never", *flags, question.pattern]


class Toolcrib(Peer):
    """`toolcrib mcp`, as a client meets it."""

    process = False

    def variables(self):
        return {"XDG_STATE_HOME": os.path.join(self.folder, "state")}

    def index_folder(self):
        return os.path.join(self.folder, "state")

    def build(self):
        config = os.path.join(self.folder, "config.toml")
        with open(config, "w") as file:
            file.write('[search]\nindex = "auto"\n')
        command = [self.tools.toolcrib, "mcp", "--structured", "--root", self.tree, "--config", config]
        self.serve(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        client = {"name": "bench", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self.request("initialize", hello)
        self.daemon.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        # A search that needs an index begins it; another one of those would read the whole tree once more.
        self.ask(SLOW)
        self.wait(self.is_warm)

    def is_warm(self):
        """Whether the index answers. Asked only when the process rests, since a search without an index reads all files."""
        spent = processor_of(self.daemon.pid)
        time.sleep(1)
        if processor_of(self.daemon.pid) - spent > 0.02:
            return False
        return WARM in self.ask(NO_MATCH)[0]

    def settle(self):
        """Until the index answers: where another program opened very many files, some answers come from a scan."""
        began = time.perf_counter()
        pages = self.ask(NO_MATCH)
        took = time.perf_counter() - began
        until = time.monotonic() + LONGEST_ANSWER
        while WARM not in pages[0]:
            if time.monotonic() > until:
                raise NoIndex("the index did not come back")
            self.after_scans += 1
            time.sleep(0.5)
            pages = self.ask(NO_MATCH)
        return took

    def request(self, method, parameters):
        return self.exchange({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})

    def ask(self, question):
        """All pages of the answer."""
        arguments = {"pattern": question.pattern, "output_mode": "content", "sort": "path", "head_limit": 100_000}
        if question.ignore_case:
            arguments["-i"] = True
        pages = []
        while True:
            pages.append(self.request("tools/call", {"name": "Grep", "arguments": arguments}))
            following = re.search(rb'"next_offset":(\d+)', pages[-1])
            if not following:
                return pages
            arguments["offset"] = int(following[1])

    def lines(self, raw):
        found = set()
        for page in raw:
            told = json.loads(page)["result"]["structuredContent"]
            if told["index"] != "warm":
                self.scans += 1
            for line in told["output"].split("\n"):
                match = re.match(r"> (.*?):(\d+):", line)
                if match:
                    found.add((os.path.relpath(match[1], self.tree), int(match[2])))
        if len(found) != told["total_matches"]:
            raise NoIndex(f"{len(found)} lines of {told['total_matches']} were read")
        return found


class RipgrepX(Peer):
    def variables(self):
        return {"RGX_CACHE_DIR": os.path.join(self.folder, "rgx")}

    def index_folder(self):
        return os.path.join(self.folder, "rgx")

    def build(self):
        self.serve([self.tools.program("rgx"), "--server"])
        status = [self.tools.program("rgx"), "--server", "status"]
        self.wait(lambda: re.search(r"state +ready", self.told(*status)))

    def command(self, question):
        flags = ["-i"] if question.ignore_case else []
        return [self.tools.program("rgx"), "-n", *flags, question.pattern]


class Codesearch(Peer):
    by_hand = "cindex"

    def variables(self):
        return {"CSEARCHINDEX": os.path.join(self.folder, "csearchindex")}

    def index_folder(self):
        return os.path.join(self.folder, "csearchindex")

    def build(self):
        self.run([self.tools.program("cindex"), self.tree])

    def command(self, question):
        flags = ["-i"] if question.ignore_case else []
        return [self.tools.program("csearch"), "-n", *flags, question.pattern]


class Fff(Peer):
    process = False

    def build(self):
        command = ["node", self.tools.fff, self.tools.modules, self.tree]
        self.serve(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.exchange(None, max(1, self.until - time.monotonic()))
        self.wait(lambda: True)

    def index_folder(self):
        return None

    def ask(self, question):
        request = {"pattern": question.pattern, "regex": question.regex, "smartCase": question.ignore_case}
        return self.exchange(request)

    def lines(self, raw):
        return {(path, line) for path, line, _ in json.loads(raw)}


class Ix(Peer):
    """moeix. It reads an index from the tree alone."""

    litter = ".ix"

    def index_folder(self):
        return os.path.join(self.tree, ".ix")

    def build(self):
        log = os.path.join(self.folder, "ixd.log")
        with open(log, "wb") as file:
            self.serve([self.tools.program("ixd"), self.tree], stdout=file, stderr=file)

        def ready():
            with open(log) as file:
                return "socket at" in file.read()

        self.wait(ready)

    def command(self, question):
        flags = ["-i"] if question.ignore_case else []
        flags += ["-r"] if question.regex else []
        return [self.tools.program("ix"), *flags, question.pattern]


class Tgrep(Peer):
    """Microsoft's; in no registry under this name, so it takes part only if its program is given."""

    def build(self):
        index = ["--index-path", self.index_folder()]
        self.run([self.tools.tgrep, "index", ".", *index])
        self.serve([self.tools.tgrep, "serve", ".", *index])
        self.wait(lambda: "complete" in self.told(self.tools.tgrep, "status", ".", *index))

    def index_folder(self):
        return os.path.join(self.folder, "tgrep")

    def command(self, question):
        flags = ["-i"] if question.ignore_case else []
        index = ["--index-path", self.index_folder()]
        return [self.tools.tgrep, question.pattern, ".", "-n", "--no-heading", "--color", "never", *flags, *index]


NO_MATCH = Question("no match", "zzq_nothing_like_this")
SLOW = Question("", r"[A-Za-z]{14}\s+[0-9]{9}", regex=True)
