// SPDX-License-Identifier: Apache-2.0

// cri is a client of a container runtime's CRI socket, as the kubelet is one, for the test VM:
//
//	cri version                                 whether the runtime serves CRI, and which it is
//	cri has-network                             whether it can make pods with a network namespace of their own (CNI)
//	cri run-pod [OPTION…] NAME                  prints the pod's id; it is on the host's network, so that it needs no CNI
//	cri create [OPTION…] POD NAME WORD…         prints the container's id
//	cri run [OPTION…] POD NAME WORD…            the same, and starts it
//	cri apply [OPTION…] FILE KIND/NAME          a pod of a manifest, or a DaemonSet's for this node: prints its id, and those of its
//	                                            containers, when their startup probes succeed
//	cri probe FILE KIND/NAME startup|readiness|liveness ID   the manifest's probe, once: its status
//	cri restart FILE KIND/NAME POD ID           makes a container that has ended again, as the kubelet does: prints its new id
//	cri wait ID                                 until the container has ended; prints what its main process printed
//	cri logs ID                                 what it has printed till now
//	cri exec-sync ID WORD…, cri exec ID WORD…   the two ways of exec: by CRI's own call, and by the stream that `kubectl exec` takes
//	cri delete POD                              ends a pod as the kubelet does, by SIGTERM to all containers at a time, and removes it
//	cri remove-pod POD…                         ends and removes it with its containers
//	cri churn [OPTION…] POD NAME COUNT WORD…    creates and removes containers one after the other; says of each if that failed
//
// The status of exec is the command's; errors are one line on stderr, as the runtime words them, and status 125.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// The machine is an emulated one: this is only to end at last.
const patience = 4 * time.Minute

func must(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "cri: %v\n", err)
		os.Exit(125)
	}
}

// pairs is an option that may stand several times: KEY=VALUE
type pairs map[string]string

func (p pairs) String() string { return "" }
func (p pairs) Set(text string) error {
	key, value, found := strings.Cut(text, "=")
	if !found {
		return fmt.Errorf("not KEY=VALUE: %s", text)
	}
	p[key] = value
	return nil
}

// words is an option that may stand several times.
type words []string

func (w *words) String() string { return "" }
func (w *words) Set(text string) error {
	*w = append(*w, text)
	return nil
}

type options struct {
	endpoint, namespace, handler, image string
	annotations                         pairs
	env, devices, mounts                words
	user, memory, hostIDs               int64
}

func (o *options) parse(arguments []string) []string {
	o.annotations = pairs{}
	f := flag.NewFlagSet("cri", flag.ExitOnError)
	f.StringVar(&o.endpoint, "endpoint", "/run/containerd/containerd.sock", "the runtime's socket")
	f.StringVar(&o.namespace, "namespace", "team-a", "the pod's namespace")
	f.StringVar(&o.handler, "handler", "", "the pod's runtime handler")
	f.StringVar(&o.image, "image", "localhost/probe:latest", "the container's image")
	f.Var(o.annotations, "annotation", "KEY=VALUE of the pod or the container")
	f.Var(&o.env, "env", "KEY=VALUE")
	f.Var(&o.devices, "device", "a device node of the host")
	f.Var(&o.mounts, "mount", "a directory of the host, which the container can read in the same place")
	f.Int64Var(&o.user, "user", 0, "the container's uid")
	f.Int64Var(&o.hostIDs, "host-ids", 0, "hostUsers: false: the pod's user and group ids are the host's from this one on, and its network is its own")
	f.Int64Var(&o.memory, "memory", 0, "the container's memory limit in bytes")
	must(f.Parse(arguments))
	return f.Args()
}

// client talks to one runtime.
type client struct {
	cri.RuntimeServiceClient
	ctx context.Context
}

func connect(ctx context.Context, endpoint string) *client {
	connection, err := grpc.NewClient("unix://"+endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	return &client{cri.NewRuntimeServiceClient(connection), ctx}
}

func need(arguments []string, count int) {
	if len(arguments) < count {
		must(fmt.Errorf("%d words are needed, not %q", count, arguments))
	}
}

func main() {
	var o options
	need(os.Args, 2)
	arguments := o.parse(os.Args[2:])
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := connect(ctx, o.endpoint)
	if os.Args[1] == "version" {
		response, err := c.Version(ctx, &cri.VersionRequest{})
		must(err)
		fmt.Println(response.RuntimeName, response.RuntimeVersion)
		return
	}
	if os.Args[1] == "has-network" {
		os.Exit(c.hasNetwork())
	}
	need(arguments, 1)
	switch os.Args[1] {
	case "run-pod":
		fmt.Println(c.runPod(&o, arguments[0]))
	case "create", "run":
		need(arguments, 3)
		id, err := c.create(&o, arguments[0], arguments[1], arguments[2:])
		must(err)
		if os.Args[1] == "run" {
			must(c.start(id))
		}
		fmt.Println(id)
	case "apply":
		need(arguments, 2)
		c.apply(&o, arguments[0], arguments[1])
	case "probe":
		need(arguments, 4)
		os.Exit(c.tryProbe(arguments[0], arguments[1], arguments[2], arguments[3]))
	case "restart":
		need(arguments, 4)
		c.restart(&o, arguments[0], arguments[1], arguments[2], arguments[3])
	case "wait":
		c.wait(arguments[0])
		c.logs(arguments[0])
	case "logs":
		c.logs(arguments[0])
	case "exec-sync":
		os.Exit(c.execSync(arguments[0], arguments[1:]))
	case "exec":
		os.Exit(c.exec(arguments[0], arguments[1:]))
	case "delete":
		c.deletePod(arguments[0])
	case "remove-pod":
		for _, pod := range arguments {
			c.removePod(pod)
		}
	case "churn":
		need(arguments, 4)
		c.churn(&o, arguments)
	default:
		must(fmt.Errorf("no command %s", os.Args[1]))
	}
}
