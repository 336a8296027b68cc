// SPDX-License-Identifier: Apache-2.0

// stub SOCKET [LEAK]: a plugin from NRI's own Go stub, that takes CreateContainer and does nothing: what the bench compares ours with. With
// LEAK it opens a descriptor and keeps 4 KiB for each container, and adjusts every hundredth: the judge must see that.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/stub"
	"github.com/sirupsen/logrus"
)

type plugin struct {
	leaks  bool
	count  int
	opened []*os.File
	kept   [][]byte
}

func (p *plugin) CreateContainer(context.Context, *api.PodSandbox, *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	if !p.leaks {
		return nil, nil, nil
	}
	file, err := os.Open("/dev/null")
	if err != nil {
		return nil, nil, err
	}
	p.opened = append(p.opened, file)
	kept := make([]byte, 4096)
	for i := range kept {
		kept[i] = byte(i)
	}
	p.kept = append(p.kept, kept)
	if p.count++; p.count%100 != 0 {
		return nil, nil, nil
	}
	adjustment := &api.ContainerAdjustment{}
	adjustment.AddEnv("ODD", "1")
	return adjustment, nil, nil
}

func main() {
	logrus.SetOutput(io.Discard)
	s, err := stub.New(&plugin{leaks: len(os.Args) > 2}, stub.WithPluginName("stub"), stub.WithPluginIdx("90"),
		stub.WithSocketPath(os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
