// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/net/websocket"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func (c *client) execSync(id string, command []string) int {
	response, err := c.ExecSync(c.ctx, &cri.ExecSyncRequest{ContainerId: id, Cmd: command})
	must(err)
	os.Stdout.Write(response.Stdout)
	os.Stderr.Write(response.Stderr)
	return int(response.ExitCode)
}

// exec takes the stream by WebSocket, which Kubernetes' servers speak beside SPDY. The first byte of a message is its channel.
func (c *client) exec(id string, command []string) int {
	response, err := c.Exec(c.ctx, &cri.ExecRequest{ContainerId: id, Cmd: command, Stdout: true, Stderr: true})
	must(err)
	config, err := websocket.NewConfig(strings.Replace(response.Url, "http", "ws", 1), response.Url)
	must(err)
	config.Protocol = []string{"v4.channel.k8s.io"}
	stream, err := websocket.DialConfig(config)
	must(err)
	for {
		var message []byte
		err := websocket.Message.Receive(stream, &message)
		if err == io.EOF {
			must(fmt.Errorf("exec ended without a status"))
		}
		must(err)
		if len(message) < 2 {
			continue
		}
		switch message[0] {
		case 1:
			os.Stdout.Write(message[1:])
		case 2:
			os.Stderr.Write(message[1:])
		case 3:
			return statusOf(message[1:])
		}
	}
}

// The last message is Kubernetes' Status: success, a failure with the command's status, or another failure.
func statusOf(text []byte) int {
	var status struct {
		Status, Message, Reason string
		Details                 struct {
			Causes []struct{ Reason, Message string }
		}
	}
	must(json.Unmarshal(text, &status))
	if status.Status == "Success" {
		return 0
	}
	for _, cause := range status.Details.Causes {
		if cause.Reason == "ExitCode" {
			code, err := strconv.Atoi(cause.Message)
			must(err)
			return code
		}
	}
	must(fmt.Errorf("exec: %s", status.Message))
	return 125
}
