"""TAP lines for many cases: a row for each kind of case, whose comments name the properties that did not hold, and the cases."""
import os
import threading

SHOWN = int(os.environ.get("SHOWN", "4"))  # of the cases that failed


class Checks:
    def __init__(self):
        self.properties = {}
        self.lock = threading.Lock()

    # detail: a text, or what makes it
    def that(self, what, case, good, detail=""):
        with self.lock:
            entry = self.properties.setdefault(what, [0, []])
            entry[0] += 1
            if not good:
                detail = detail() if callable(detail) else detail
                entry[1].append(f"{case}: {detail}" if detail else str(case))
        return good

    def report(self, name):
        failed = any(bad for _, bad in self.properties.values())
        print(f"{'not ok' if failed else 'ok'} - {name}: {'; '.join(self.properties)}", flush=True)
        for what, (count, bad) in self.properties.items():
            if bad:
                print(f"# {what}: {len(bad)} of {count} times not:")
            for line in bad[:SHOWN]:
                print("#   " + line[:600].replace("\n", "\n#   "))
            if len(bad) > SHOWN:
                print(f"#   … {len(bad)} in all")
        self.properties = {}
