"""nri_alerts.py PROGRAM DIRECTORY: a runtime, and the plugin connected to it, which writes DIRECTORY/metrics.prom. One container was created while the
plugin was away. Then it does what stdin says, a word a line, and says when it is done: deny (a container that the policy denies), mend (the missed
container has its limit), end."""
import sys

import nri_missed as scene
from nri_peer import Runtime
from nri_scene import SOCKET


def main():
    scene.make_node()
    runtime = Runtime(SOCKET)
    plugin = scene.Plugin()
    ones = [scene.known(1, 4711)]
    scene.process(4711, scene.identity(1), 8 << 20)
    connection = scene.connect(runtime, *ones)
    scene.counted(1)
    print("missed", flush=True)
    for line in sys.stdin:
        if line == "deny\n":
            connection.create(namespace="other", annotations=scene.ASKS, devices=scene.TWO, id=scene.identity(2))
        elif line == "mend\n":
            scene.process(4711, scene.identity(1), "unlimited")
            connection.close()
            connection = scene.connect(runtime, *ones)
        else:
            break
        print(line, end="", flush=True)
    plugin.end()
    runtime.stop()


main()
