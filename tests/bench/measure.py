"""Times commands in turn, A B C C B A A B C …, and says medians and the medians of the rounds' ratios and differences.

A machine's speed drifts; the ratio of two runs beside each other does not. What a run leaves to do for the next (the kernel takes a
cgroup away later) is each one's as often. A time is that of one process from vfork(2) to
its end, on the wall clock, taken by launch.c.
"""
import os
import statistics
import subprocess
import sys

BUILD = os.environ["BUILD"]
ROUNDS = int(os.environ.get("ROUNDS", "100"))
WARM_UP = 3
LAUNCH = f"{BUILD}/bench/launch"


class Command:
    """argv[0] is a path. before and after run around each start, outside of the time; after may check what was done."""

    def __init__(self, label, argv, stdin="/dev/null", env=None, before=None, after=None):
        self.label, self.argv, self.stdin, self.env = label, argv, stdin, env or {}
        self.before, self.after = before, after

    def run(self, out):
        """(seconds, KiB, page faults) of one start; it must succeed."""
        if self.before:
            self.before()
        subprocess.run([LAUNCH, out, self.stdin, *self.argv], env=self.env, check=True)
        with open(out, encoding="ascii") as file:
            nanoseconds, kib, faults, status = (int(word) for word in file.read().split())
        if status != 0:
            sys.exit(f"bench: {self.label}: failed with wait status {status}: {' '.join(self.argv)}")
        if self.after:
            self.after()
        return nanoseconds / 1e9, kib, faults


def samples(commands, directory, rounds):
    """What each of them took in each round."""
    taken = [[] for _ in commands]
    turns = list(zip(taken, commands))
    for i in range(rounds + WARM_UP):
        turns.reverse()
        for mine, command in turns:
            sample = command.run(os.path.join(directory, "launched"))
            if i >= WARM_UP:
                mine.append(sample)
    return taken


def tenth(times):
    """What a tenth of them stays below: the machine's own doings are not in it."""
    return statistics.quantiles(times, n=10)[0]


def compare(title, commands, bases, directory, rounds=ROUNDS):
    """The commands whose labels are in bases are what all of them are compared with. Prints a table, returns it."""
    taken = samples(commands, directory, rounds)
    times = {command.label: [s[0] for s in mine] for command, mine in zip(commands, taken)}
    rows = []
    for command, mine in zip(commands, taken):
        own = times[command.label]
        rows.append({
            "label": command.label,
            "median_ms": statistics.median(own) * 1000,
            "p10_ms": tenth(own) * 1000,
            "peak_kib": max(s[1] for s in mine),
            "minor_faults": statistics.median(s[2] for s in mine),
            "ratios": {base: statistics.median(a / b for a, b in zip(own, times[base])) for base in bases},
            "above_us": {base: statistics.median(a - b for a, b in zip(own, times[base])) * 1e6 for base in bases},
            "above_p10_us": {base: (tenth(own) - tenth(times[base])) * 1e6 for base in bases},
        })
    show(title, rows, bases)
    return {"title": title, "rounds": rounds, "rows": rows}


def show(title, rows, bases):
    """The first base is also what is taken off: what a command adds to it."""
    base = bases[0]
    table([title, "median ms", "10 % below", f"us above {base}", "above, 10 %", *(f"times {base}" for base in bases)],
          [[row["label"], f"{row['median_ms']:.3f}", f"{row['p10_ms']:.3f}",
            *(["", ""] if row["label"] == base else [f"{row['above_us'][base]:.0f}", f"{row['above_p10_us'][base]:.0f}"]),
            *("1" if row["label"] == base else f"{row['ratios'][base]:.3f}" for base in bases)] for row in rows])


def table(head, rows):
    """Markdown that reads as text, too."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(cells):
        return "| " + " | ".join([cells[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(cells[1:], widths[1:]))]) + " |"
    print(line(head))
    print("|" + "|".join(["-" * (widths[0] + 2), *("-" * (w + 1) + ":" for w in widths[1:])]) + "|")
    for row in rows:
        print(line(row))
    print(flush=True)
