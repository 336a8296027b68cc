"""TAP lines for many cases of one property: a line for each property, which names the cases that failed."""
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
        for what, (count, bad) in self.properties.items():
            print(f"{'not ok' if bad else 'ok'} - {name}: {what} ({count} times)")
            for line in bad[:SHOWN]:
                print("#   " + line[:600].replace("\n", "\n#   "))
            if len(bad) > SHOWN:
                print(f"#   … {len(bad)} in all")
        self.properties = {}
