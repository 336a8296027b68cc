// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/nri/pkg/api"
)

// A measured plugin has a runtime of its own, so that each creation is one plugin's.
type measured struct {
	Label   string  `json:"label"`
	Kind    string  `json:"kind"`
	Median  float64 `json:"median_us"`
	P99     float64 `json:"p99_us"`
	Busy    float64 `json:"cpu_us"` // the plugin's own time on a processor for one creation; not what its children take
	runtime adapted
	plugin  process
	taken   []float64
}

// ask has the container created, or started; that it starts is a second message, to plugins that want it.
func (m *measured) ask(k *kind, number int, starts bool) {
	r := request(k, number)
	event := &api.StateChangeEvent{Pod: r.Pod, Container: r.Container}
	var err error
	begin := time.Now()
	if starts {
		err = m.runtime.StartContainer(context.Background(), event)
	} else {
		_, err = m.runtime.create(r)
	}
	m.taken = append(m.taken, float64(time.Since(begin).Nanoseconds())/1e3)
	must(err)
}

func (m *measured) finish(name string, busy int64) {
	sort.Float64s(m.taken)
	m.Kind = name
	m.Median = m.taken[len(m.taken)/2]
	m.P99 = m.taken[len(m.taken)*99/100]
	m.Busy = float64(busy) / 1e3 / float64(len(m.taken))
	m.taken = nil
}

// begin: LABEL=PID=SOCKET; PID 0: no plugin, the runtime's own part
func begin(argument string) *measured {
	words := strings.SplitN(argument, "=", 3)
	if len(words) != 3 {
		fail("%s: not LABEL=PID=SOCKET", argument)
	}
	pid, err := strconv.Atoi(words[1])
	must(err)
	m := &measured{Label: words[0], plugin: process(pid), runtime: start(words[2], "", 0)}
	if pid != 0 {
		await(heard.connected, "plugin "+m.Label)
	}
	return m
}

func kindNamed(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	fail("no kind %s", name)
	return nil
}

// measure creates containers with each plugin in turn, forwards and backwards, so that what the machine does meanwhile is everybody's.
func measure(rounds int, arguments []string) {
	var all, results []*measured
	for _, argument := range arguments {
		all = append(all, begin(argument))
	}
	for _, name := range []string{"plain", "granted", "starts"} {
		starts := name == "starts"
		k := kindNamed("plain")
		if name == "granted" {
			k = kindNamed(name)
		}
		busy := make([]int64, len(all))
		for round := -rounds / 10; round < rounds; round++ {
			if round == 0 {
				for i, m := range all {
					m.taken, busy[i] = nil, m.plugin.processorTime()
				}
			}
			for i := range all {
				if round&1 != 0 {
					i = len(all) - 1 - i
				}
				all[i].ask(k, round+rounds, starts)
			}
		}
		for i, m := range all {
			m.finish(name, m.plugin.processorTime()-busy[i])
			result := *m
			results = append(results, &result)
		}
	}
	must(json.NewEncoder(os.Stdout).Encode(results))
}
