// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/containerd/nri/pkg/api"
)

// Each creation takes a runtime far longer; without any pause all would be made between two plugins.
const pace = 5 * time.Millisecond

// A kept container is one that a plugin hears of in Synchronize: the newest of those that ask and have a device, since all together would not fit
// into the one message that NRI 0.6 sends.
const keptMax = 500

type kept struct {
	sync.Mutex
	pods       []*api.PodSandbox
	containers []*api.Container
}

var there kept

// keep adds a container before a plugin is asked about it: as a runtime has it that a plugin connects to meanwhile.
func (k *kept) keep(of *kind, number int) {
	r := request(of, number)
	r.Container.State = api.ContainerState_CONTAINER_CREATED
	k.Lock()
	defer k.Unlock()
	k.pods, k.containers = append(k.pods, r.Pod), append(k.containers, r.Container)
	if len(k.pods) > keptMax {
		k.pods, k.containers = k.pods[1:], k.containers[1:]
	}
}

func (k *kept) with(pods []*api.PodSandbox, containers []*api.Container) ([]*api.PodSandbox, []*api.Container) {
	k.Lock()
	defer k.Unlock()
	return append(append([]*api.PodSandbox{}, k.pods...), pods...), append(append([]*api.Container{}, k.containers...), containers...)
}

// storm creates containers and runs a command in between, so and so often, which does something to the plugins. An ordinary container may not fail;
// a granted one that gets less is named.
func storm(o *options, socket, command string, times int) *report {
	r := newReport()
	a := start(socket, "", 0)
	defer a.Stop()
	r.Plugin = await(heard.connected, "plugin")
	granted := map[string]bool{"granted": true, "granted-by-container": true, "granted-wordy": true}
	r.Without = []string{}
	for i := 0; i < o.creations; i++ {
		if i%(o.creations/times) == 0 {
			must(run(command, i*times/o.creations))
			drain()
		}
		k := kindOf(i * 50 % 1000) // a third of them ask, and have a device
		if i%3 == 0 {
			k = kindNamed("granted")
		}
		if granted[k.name] {
			there.keep(k, i)
		}
		begin := time.Now()
		response, err := a.create(request(k, i))
		r.Longest = max(r.Longest, time.Since(begin).Milliseconds())
		got := answerOf(response, err)
		r.Created[k.name]++
		switch {
		case got.Error != "":
			r.Failed = append(r.Failed, k.name+": "+got.Error)
		case granted[k.name] && len(got.Rlimits) == 0:
			r.Without = append(r.Without, request(k, i).Container.Id)
		case granted[k.name] && len(got.Rlimits) != 1:
			r.Unlike = append(r.Unlike, got.String())
		}
		time.Sleep(pace)
	}
	must(run(command, -1))
	return r
}

func run(command string, number int) error {
	c := exec.Command(command, strconv.Itoa(number))
	c.Stderr = os.Stderr
	return c.Run()
}

// drain forgets who has come and gone, so that NRI is never kept waiting.
func drain() {
	for {
		select {
		case <-heard.connected:
		case <-heard.closed:
		default:
			return
		}
	}
}
