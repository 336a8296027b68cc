// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/net/multiplex"
	"github.com/containerd/ttrpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

const service = "nri.pkg.api.v1alpha1.Plugin"

// later is a runtime of NRI 0.8 to 0.12 on the same connection, as far as it differs: fields and methods that 0.6 does not know.
type later struct {
	listener   net.Listener
	client     *ttrpc.Client
	registered chan string
}

func (l *later) RegisterPlugin(_ context.Context, request *api.RegisterPluginRequest) (*api.Empty, error) {
	l.registered <- request.PluginIdx + "-" + request.PluginName
	return &api.Empty{}, nil
}

func (l *later) UpdateContainers(context.Context, *api.UpdateContainersRequest) (*api.UpdateContainersResponse, error) {
	heard.complain("unasked updates")
	return &api.UpdateContainersResponse{}, nil
}

func (l *later) call(method string, request, response proto.Message) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return l.client.Call(ctx, service, method, request, response)
}

func (l *later) create(request *api.CreateContainerRequest) (*api.CreateContainerResponse, error) {
	response := &api.CreateContainerResponse{}
	unknown(request, 17, "a field of a runtime to come")
	unknown(request.Container, 99, "another")
	return response, l.call("CreateContainer", request, response)
}

// unknown adds a field that the message's type lacks: a flag, or a text.
func unknown(message proto.Message, number protowire.Number, value any) {
	raw := message.ProtoReflect().GetUnknown()
	switch v := value.(type) {
	case bool:
		raw = protowire.AppendVarint(protowire.AppendTag(raw, number, protowire.VarintType), protowire.EncodeBool(v))
	case string:
		raw = protowire.AppendString(protowire.AppendTag(raw, number, protowire.BytesType), v)
	}
	message.ProtoReflect().SetUnknown(raw)
}

// flag is the field that unknown made of a bool.
func flagOf(message proto.Message, want protowire.Number) bool {
	raw := message.ProtoReflect().GetUnknown()
	for len(raw) > 0 {
		number, kind, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return false
		}
		raw = raw[n:]
		if number == want && kind == protowire.VarintType {
			value, _ := protowire.ConsumeVarint(raw)
			return protowire.DecodeBool(value)
		}
		if n = protowire.ConsumeFieldValue(number, kind, raw); n < 0 {
			return false
		}
		raw = raw[n:]
	}
	return false
}

func accept(socket string) *later {
	_ = os.Remove(socket)
	listener, err := net.Listen("unix", socket)
	must(err)
	conn, err := listener.Accept()
	must(err)
	mux := multiplex.Multiplex(conn, multiplex.WithBlockedRead())
	plugin, err := mux.Open(multiplex.PluginServiceConn)
	must(err)
	inward, err := mux.Listen(multiplex.RuntimeServiceConn)
	must(err)
	server, err := ttrpc.NewServer()
	must(err)
	l := &later{listener: listener, client: ttrpc.NewClient(plugin), registered: make(chan string, 8)}
	api.RegisterRuntimeService(server, l)
	go server.Serve(context.Background(), inward)
	mux.Unblock()
	return l
}

func (l *later) configure() {
	request := &api.ConfigureRequest{RuntimeName: "containerd", RuntimeVersion: "2.4.0"}
	unknown(request, 6, "v0.12.1")
	response := &api.ConfigureResponse{}
	must(l.call("Configure", request, response))
	if response.Events != 0x28 {
		heard.complain(fmt.Sprintf("events %#x", response.Events))
	}
}

// synchronize sends the containers as later runtimes do: halved until a part goes through. ttrpc sends at most 4 MiB. The field "more" is
// the request's third and the answer's second.
func (l *later) synchronize(count int) (parts int) {
	const atOnce = 800
	pods, containers := running(count, false)
	for from := 0; from < count; from += atOnce {
		to := min(from+atOnce, count)
		request := &api.SynchronizeRequest{Pods: pods[from:to], Containers: containers[from:to]}
		more := to < count
		if more {
			unknown(request, 3, true)
		}
		response := &api.SynchronizeResponse{}
		must(l.call("Synchronize", request, response))
		if flagOf(response, 2) != more || len(response.Update) > 0 {
			heard.complain(fmt.Sprintf("part %d, more %t: answered with %s", parts, more, response))
		}
		parts++
	}
	return parts
}

// unsubscribed calls what the plugin did not ask for, and what no plugin knows; the plugin says so, and goes on.
func (l *later) unsubscribed() (said []string) {
	for _, method := range []string{"RunPodSandbox", "ValidateContainerAdjustment", "PostStartContainer", "Unheard"} {
		err := l.call(method, &api.StateChangeEvent{Event: api.Event_RUN_POD_SANDBOX}, &api.Empty{})
		if errors.Is(err, ttrpc.ErrClosed) {
			fail("%s: %v", method, err)
		}
		said = append(said, fmt.Sprintf("%s %d", method, status.Code(err)))
	}
	return said
}

func judgeStreamed(o *options, socket string) *report {
	r := newReport()
	l := accept(socket)
	r.Plugin = await(l.registered, "plugin")
	must(l.listener.Close()) // its file goes; a plugin that has registered has looked at it
	l.configure()
	r.Parts = l.synchronize(o.synchronized)
	r.Synced = o.synchronized
	r.Unknown = l.unsubscribed()
	createAll(r, l, o.creations, process(o.pid))
	r.Complaints = append(r.Complaints, heard.complaints...)
	return r
}
