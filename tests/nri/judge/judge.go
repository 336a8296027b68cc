// SPDX-License-Identifier: Apache-2.0

// judge is the runtime's side of NRI, from NRI's own Go packages, for one plugin: it waits until the plugin has registered and is
// synchronized, creates containers, and says as JSON what the plugin answered and what it holds. It judges nothing itself but the runtime's
// rules: the suite does (tests/nri/judge.sh).
//
//	judge [OPTION…] SOCKET           containerd 1.7's: NRI's package adaptation
//	judge -streamed [OPTION…] SOCKET containerd 2's as far as 1.7 lacks it: Synchronize in parts, methods that are not known yet
//	judge -storm COMMAND [-creates N] [-times N] [-timeout D] SOCKET: plugins that come and go
//	judge -bench N LABEL=PID=SOCKET… what a plugin takes for CreateContainer
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/containerd/nri/pkg/api"
)

// Nothing here is timed: what takes longer has failed, however slow the machine.
const patience = 3 * time.Minute

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "judge: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error) {
	if err != nil {
		fail("%v", err)
	}
}

// An answer as it is compared and shown: what the plugin adds to the container, or its error
type answer struct {
	Env     []string `json:"env,omitempty"`
	Rlimits []string `json:"rlimits,omitempty"`
	Other   string   `json:"other,omitempty"`
	Error   string   `json:"error,omitempty"`
}

func answerOf(response *api.CreateContainerResponse, err error) (a answer) {
	if err != nil {
		a.Error = err.Error()
		return a
	}
	adjust := response.GetAdjust()
	for _, e := range adjust.GetEnv() {
		a.Env = append(a.Env, e.Key+"="+e.Value)
	}
	for _, r := range adjust.GetRlimits() {
		a.Rlimits = append(a.Rlimits, fmt.Sprintf("%s %d:%d", r.Type, r.Soft, r.Hard))
	}
	linux := adjust.GetLinux()
	if n := len(adjust.GetAnnotations()) + len(adjust.GetMounts()) + len(linux.GetDevices()) + len(response.GetUpdate()) +
		len(response.GetEvict()); n > 0 || linux.GetCgroupsPath() != "" || adjust.GetHooks().Hooks() != nil {
		a.Other = response.String()
	}
	return a
}

func (a answer) String() string {
	text, err := json.Marshal(a)
	must(err)
	return string(text)
}

// A report is what is printed.
type report struct {
	Plugin     string            `json:"plugin"`
	Synced     int               `json:"synchronized"`
	Parts      int               `json:"parts,omitempty"`
	Unknown    []string          `json:"unknown,omitempty"`
	Begin      usage             `json:"begin"`
	End        usage             `json:"end"`
	Created    map[string]int    `json:"created"`
	Answers    map[string]answer `json:"answers"`           // the first one of a kind
	Unlike     []string          `json:"unlike"`            // answers that are not as the first one of their kind; at most ten
	Complaints []string          `json:"complaints"`        // what NRI had to say of the plugin
	Without    []string          `json:"without,omitempty"` // of a storm: ids of containers that should have been granted
	Failed     []string          `json:"failed,omitempty"`
	Longest    int64             `json:"longest_ms,omitempty"`
}

func newReport() *report {
	return &report{Created: map[string]int{}, Answers: map[string]answer{}, Unlike: []string{}, Complaints: []string{}}
}

func (r *report) add(k *kind, number int, a answer) {
	r.Created[k.name]++
	first, known := r.Answers[k.name]
	switch {
	case !known:
		r.Answers[k.name] = a
	case first.String() != a.String() && len(r.Unlike) < 10:
		r.Unlike = append(r.Unlike, fmt.Sprintf("creation %d, %s: %s", number, k.name, a))
	}
}

func (r *report) print() {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	must(encoder.Encode(r))
}

// A runtime has one plugin.
type runtime interface {
	create(*api.CreateContainerRequest) (*api.CreateContainerResponse, error)
}

// Creations before the first look at what the plugin holds: by then it has what it needs, and has seen every kind
const warmUp = 1000

// What a validator refuses behind the plugin
var rules = &policy{}

func createAll(r *report, from runtime, count int, plugin process) {
	for i := 0; i < count; i++ {
		if i == warmUp && plugin != 0 {
			r.Begin = plugin.usage()
		}
		k := kindOf(i)
		asked := request(k, i)
		response, err := from.create(asked)
		if err == nil {
			err = rules.validate(asked.GetPod().GetNamespace(), response.GetAdjust())
		}
		r.add(k, i, answerOf(response, err))
	}
	if plugin != 0 {
		r.End = plugin.usage()
	}
}

func main() {
	var o options
	flag.IntVar(&o.synchronized, "sync", 5000, "containers that run already")
	flag.IntVar(&o.creations, "creates", 10000, "containers to create")
	flag.IntVar(&o.pid, "pid", 0, "the plugin's process, to say what it holds")
	flag.StringVar(&o.launch, "launch", "", "a directory of plugins that the runtime starts")
	flag.StringVar(&o.gone, "gone", "", "a file that is made after half of the creations; wait until the plugin is gone then")
	flag.StringVar(&o.done, "done", "", "a file that is made after the creations; the runtime lives on until it is taken away")
	command := flag.String("storm", "", "a command that does something to the plugins between containers")
	times := flag.Int("times", 50, "how often")
	flag.DurationVar(&requestTimeout, "timeout", patience, "how long a plugin may take for an answer")
	streamed := flag.Bool("streamed", false, "as containerd 2")
	bench := flag.Int("bench", 0, "rounds to measure")
	draft := flag.String("policy", "", "a file of OpenShift's draft, by which answers are refused")
	flag.Parse()
	if *draft != "" {
		rules = readPolicy(*draft)
	}
	quiet()
	switch {
	case *bench > 0:
		measure(*bench, flag.Args())
	case flag.NArg() != 1:
		fail("one socket is needed")
	case *command != "":
		storm(&o, flag.Arg(0), *command, *times).print()
	case *streamed:
		judgeStreamed(&o, flag.Arg(0)).print()
	default:
		judge(&o, flag.Arg(0)).print()
	}
}
