// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// process is the plugin, as /proc shows it.
type process int

func (p process) dir(name string) string { return filepath.Join("/proc", strconv.Itoa(int(p)), name) }

func (p process) descriptors() int {
	entries, err := os.ReadDir(p.dir("fd"))
	must(err)
	return len(entries)
}

var residentLine = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

func (p process) residentKiB() int {
	text, err := os.ReadFile(p.dir("status"))
	must(err)
	found := residentLine.FindSubmatch(text)
	if found == nil {
		fail("process %d has no memory: it has ended", p)
	}
	n, err := strconv.Atoi(string(found[1]))
	must(err)
	return n
}

// children of all its threads, those that ended and were not waited for, too
func (p process) children() int {
	files, err := filepath.Glob(p.dir("task/*/children"))
	must(err)
	count := 0
	for _, file := range files {
		text, _ := os.ReadFile(file)
		count += len(strings.Fields(string(text)))
	}
	return count
}

// Time on a processor of all its threads, in nanoseconds; children that ended are not in it.
func (p process) processorTime() (total int64) {
	files, err := filepath.Glob(p.dir("task/*/schedstat"))
	must(err)
	for _, file := range files {
		text, _ := os.ReadFile(file)
		var ran int64
		fmt.Sscan(string(text), &ran)
		total += ran
	}
	return total
}

type usage struct {
	Descriptors int `json:"fds"`
	Resident    int `json:"rss_kib"`
	Children    int `json:"children"`
}

// A child that has said what it had to may be ending still.
func (p process) usage() usage {
	for end := time.Now().Add(patience); p.children() > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	return usage{p.descriptors(), p.residentKiB(), p.children()}
}
