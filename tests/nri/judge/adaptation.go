// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/containerd/nri/pkg/adaptation"
	"github.com/containerd/nri/pkg/api"
	nrilog "github.com/containerd/nri/pkg/log"
)

type options struct {
	synchronized, creations, pid int
	launch, gone, done           string
}

// messages is NRI's logger: it tells when a plugin is there, and keeps what NRI complains of.
type messages struct {
	sync.Mutex
	connected  chan string
	closed     chan struct{}
	complaints []string
}

// As many as a storm's plugins come and go between two looks
var heard = &messages{connected: make(chan string, 64), closed: make(chan struct{}, 64)}

func quiet() { nrilog.Set(heard) }

func (m *messages) complain(text string) {
	m.Lock()
	defer m.Unlock()
	m.complaints = append(m.complaints, text)
}

func (m *messages) Debugf(context.Context, string, ...interface{}) {}
func (m *messages) Infof(_ context.Context, format string, args ...interface{}) {
	switch {
	case strings.HasPrefix(format, "plugin %q connected"):
		m.connected <- fmt.Sprint(args...)
	case strings.HasPrefix(format, "connection to plugin"):
		m.complain(fmt.Sprintf(format, args...))
		m.closed <- struct{}{}
	case strings.HasPrefix(format, "failed"), strings.HasPrefix(format, "plugin %q requested"):
		m.complain(fmt.Sprintf(format, args...))
	}
}
func (m *messages) Warnf(_ context.Context, format string, args ...interface{}) {
	m.complain(fmt.Sprintf(format, args...))
}
func (m *messages) Errorf(_ context.Context, format string, args ...interface{}) {
	m.complain(fmt.Sprintf(format, args...))
}

// adapted is the runtime that Debian's containerd is, as far as its plugins see it.
type adapted struct{ *adaptation.Adaptation }

func (a adapted) create(request *api.CreateContainerRequest) (*api.CreateContainerResponse, error) {
	return a.CreateContainer(context.Background(), request)
}

// start listens; the plugins of the directory launch, if there is one, are started.
func start(socket, launch string, synchronized int) adapted {
	pods, containers := running(synchronized, true)
	synchronize := func(ctx context.Context, call adaptation.SyncCB) error {
		pods, containers := there.with(pods, containers)
		updates, err := call(ctx, pods, containers)
		if len(updates) > 0 {
			heard.complain(fmt.Sprintf("Synchronize wants %d updates", len(updates)))
		}
		return err
	}
	update := func(context.Context, []*api.ContainerUpdate) ([]*api.ContainerUpdate, error) {
		heard.complain("unasked updates")
		return nil, nil
	}
	nowhere := socket + ".none"
	if launch == "" {
		launch = nowhere
	}
	// NRI's own are 5 s and 2 s, which a plugin on a busy machine may take.
	adaptation.SetPluginRegistrationTimeout(patience)
	adaptation.SetPluginRequestTimeout(requestTimeout)
	a, err := adaptation.New("containerd", "1.7.24", synchronize, update, adaptation.WithSocketPath(socket),
		adaptation.WithPluginPath(launch), adaptation.WithPluginConfigPath(nowhere))
	must(err)
	must(a.Start())
	return adapted{a}
}

// A storm has another one, since it waits for a plugin that is stopped.
var requestTimeout = patience

func await[T any](from chan T, what string) T {
	select {
	case got := <-from:
		return got
	case <-time.After(patience):
		fail("no %s in %s", what, patience)
	}
	panic("not reached")
}

// half creates half of the containers, has the plugin ended, and waits until that is noticed.
func half(r *report, a adapted, o *options) {
	createAll(r, a, o.creations/2, 0)
	must(os.WriteFile(o.gone, nil, 0o644))
	await(heard.closed, "end of the plugin")
}

// hold lets others look at the plugin while it has a runtime.
func hold(file string) {
	must(os.WriteFile(file, nil, 0o644))
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(file); err != nil {
			return
		}
	}
	fail("nobody took %s away", file)
}

func judge(o *options, socket string) *report {
	r := newReport()
	a := start(socket, o.launch, o.synchronized)
	defer a.Stop()
	if o.launch == "" {
		r.Plugin = await(heard.connected, "plugin")
		r.Synced = o.synchronized
	}
	if o.gone != "" {
		half(r, a, o)
	}
	createAll(r, a, o.creations, process(o.pid))
	if o.done != "" {
		hold(o.done)
	}
	heard.Lock()
	defer heard.Unlock()
	r.Complaints = append(r.Complaints, heard.complaints...)
	return r
}
