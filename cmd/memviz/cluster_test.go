//go:build cluster

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// These tests run the recipes of memviz snippet on the systems they are for. "make
// cluster" installs Slurm and runs them.

const (
	clusterNodes = 4
	clusterRanks = 256
	failingRank  = 211 // runs out of memory
	oddRank      = 37  // holds more than others
)

// build compiles a command of this module into a folder.
func build(t *testing.T, folder, command string) {
	t.Helper()
	if out, err := exec.Command("go", "build", "-o", folder+"/", "../"+command).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// need skips a test that lacks a command.
func need(t *testing.T, commands ...string) {
	t.Helper()
	for _, command := range commands {
		if _, err := exec.LookPath(command); err != nil {
			t.Skipf("not run: %s is not installed", command)
		}
	}
}

// fillIn replaces the values of variables that a snippet sets, one per line.
func fillIn(t *testing.T, snippet string, values map[string]string) string {
	t.Helper()
	text, _ := snippetText(snippet)
	for name, value := range values {
		line := regexp.MustCompile(`(?m)^(` + name + ` ?= ?)['"].*['"]$`)
		if n := len(line.FindAll(text, -1)); n != 1 {
			t.Fatalf("%s sets %s %d times", snippet, name, n)
		}
		text = line.ReplaceAllFunc(text, func(found []byte) []byte {
			return fmt.Appendf(nil, "%s'%s'", line.FindSubmatch(found)[1], value)
		})
	}
	return string(text)
}

// TestSlurm trains on a cluster of one controller and four nodes, all of them on this
// machine. One task fails; the page reports it all the same.
func TestSlurm(t *testing.T) {
	need(t, "slurmctld", "slurmd", "sbatch", "srun", "bash")
	if os.Getuid() != 0 {
		t.Skip("not run: slurmd must be started by root")
	}
	folder := t.TempDir()
	build(t, folder, "memviz")
	build(t, folder, "memviz-gen")
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	made := filepath.Join(folder, "made")
	command(t, "memviz-gen", "job", "--ranks", fmt.Sprint(clusterRanks), "--steps", "3", "--noise", "normal",
		"--outlier", fmt.Sprint(oddRank), "--oom", fmt.Sprint(failingRank), "-o", made)
	startSlurm(t, folder)

	// A rank that trains puts the snapshot that it would have written on the disk of its
	// node, and one of them fails.
	write(t, filepath.Join(folder, "train.sh"), fmt.Sprintf(`
mkdir -p %[1]s/disks/$SLURMD_NODENAME
ln %[1]s/made/n*/memory_snapshot/iteration_4/rank${SLURM_PROCID}_memory_snapshot.pickle %[1]s/disks/$SLURMD_NODENAME
[ "$SLURM_PROCID" != %[2]d ]
`, folder, failingRank))
	write(t, filepath.Join(folder, "job.sh"), fillIn(t, "slurm", map[string]string{
		"TRAIN": "bash " + folder + "/train.sh", "SNAPSHOTS": folder + "/disks/$SLURMD_NODENAME"}))

	job := exec.Command("sbatch", "--wait", "--parsable", fmt.Sprint("--ntasks-per-node=", clusterRanks/clusterNodes),
		"job.sh")
	job.Dir = folder
	began := time.Now()
	out, err := job.CombinedOutput()
	logs, _ := filepath.Glob(filepath.Join(folder, "slurm-*.out"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		t.Logf("the job said in %.0f s:\n%s", time.Since(began).Seconds(), text)
	}
	if err == nil {
		t.Error("the job has not kept the exit status of the training step")
	} else if len(logs) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	id := strings.TrimSpace(string(bytes.SplitN(out, []byte("\n"), 2)[0]))
	joined := filepath.Join(folder, "memviz-"+id)
	if files, _ := filepath.Glob(joined + "/n*.jsonl.gz"); len(files) != clusterNodes {
		t.Errorf("files of digests: %q", files)
	}
	checkPage(t, joined+".html")
	checkClusterJob(t, joined+".jsonl.gz", clusterRanks, fmt.Sprint("differs ", oddRank),
		fmt.Sprint("out_of_memory ", failingRank))
}

// TestRay runs the recipe on a Ray cluster of this machine alone. Training fails.
func TestRay(t *testing.T) {
	need(t, "python3")
	if err := exec.Command("python3", "-c", "import ray").Run(); err != nil {
		t.Skip("not run: Ray is not installed; pip install ray")
	}
	folder := t.TempDir()
	build(t, folder, "memviz")
	build(t, folder, "memviz-gen")
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	made := filepath.Join(folder, "made")
	command(t, "memviz-gen", "job", "--ranks", "64", "--steps", "3", "--noise", "normal", "--outlier",
		fmt.Sprint(oddRank), "-o", made)
	script := fillIn(t, "ray", map[string]string{"SNAPSHOTS": made})
	failing := strings.Replace(script, "    ...  # yours", "    raise RuntimeError('training failed')  # not", 1)
	if failing == script {
		t.Fatal("there is no place for the training")
	}
	write(t, filepath.Join(folder, "train.py"), failing)
	python := exec.Command("python3", "train.py")
	python.Dir = folder
	out, err := python.CombinedOutput()
	t.Logf("the script said:\n%s", out)
	if err == nil || !bytes.Contains(out, []byte("training failed")) {
		t.Errorf("the failure of the training is not reported: %v", err)
	}
	checkPage(t, filepath.Join(folder, "job.html"))
	checkClusterJob(t, filepath.Join(folder, "job.jsonl"), 64, fmt.Sprint("differs ", oddRank))
}

func checkPage(t *testing.T, path string) {
	t.Helper()
	if page, err := os.ReadFile(path); err != nil || !bytes.Contains(page, []byte("moe.py")) {
		t.Errorf("the page has %d bytes, %v", len(page), err)
	}
}

// checkClusterJob checks the findings about a job.
func checkClusterJob(t *testing.T, digests string, ranks int, want ...string) {
	t.Helper()
	var said struct {
		Ranks    []struct{ Rank int }
		Findings []struct {
			Kind string
			Rank int
		}
	}
	if err := json.Unmarshal(command(t, "memviz", "ranks", "--format", "json", digests), &said); err != nil {
		t.Fatal(err)
	}
	if len(said.Ranks) != ranks {
		t.Errorf("%d ranks", len(said.Ranks))
	}
	var found []string
	for _, f := range said.Findings {
		found = append(found, fmt.Sprint(f.Kind, " ", f.Rank))
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// command runs a program and returns what it prints.
func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	c := exec.Command(name, args...)
	var errors bytes.Buffer
	c.Stderr = &errors
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &errors)
	}
	return out
}

func write(t *testing.T, path, text string) {
	t.Helper()
	testkit.WriteFile(t, path, text)
}

// startSlurm starts an isolated cluster on free ports that writes only to a folder. It
// ends with the test.
func startSlurm(t *testing.T, folder string) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	conf := fmt.Sprintf(`
ClusterName=memviz
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
AuthType=auth/none
CredType=cred/none
MpiDefault=none
SlurmUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool.%%n
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.%%n.pid
`, host, folder, freePort(t))
	for i := range clusterNodes {
		conf += fmt.Sprintf("NodeName=n%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d\n", i, host, freePort(t),
			clusterRanks/clusterNodes)
	}
	conf += "PartitionName=all Nodes=ALL Default=YES State=UP\n"
	path := filepath.Join(folder, "slurm.conf")
	testkit.WriteFile(t, path, conf)
	write(t, filepath.Join(folder, "cgroup.conf"), "CgroupAutomount=no\n")
	t.Setenv("SLURM_CONF", path)
	daemon(t, folder, "slurmctld", "-D", "-c", "-f", path)
	for i := range clusterNodes {
		daemon(t, folder, "slurmd", "-D", "-N", fmt.Sprint("n", i), "-f", path)
	}
	for range 60 {
		out, _ := exec.Command("sinfo", "--noheader", "--states=idle", "--format=%D").Output()
		if strings.TrimSpace(string(out)) == fmt.Sprint(clusterNodes) {
			return
		}
		time.Sleep(time.Second)
	}
	out, _ := exec.Command("sinfo", "--list-reasons").CombinedOutput()
	t.Fatalf("the nodes are not ready after a minute:\n%s", out)
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// daemon starts a process that ends with the test. Its output is shown if the test
// fails.
func daemon(t *testing.T, folder, name string, args ...string) {
	t.Helper()
	log := new(bytes.Buffer)
	c := exec.Command(name, args...)
	c.Dir, c.Stdout, c.Stderr = folder, log, log
	c.WaitDelay = 5 * time.Second // steps that it has started may still hold its output
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
		c.Wait()
		timer.Stop()
		if t.Failed() {
			t.Logf("%s said:\n%s", strings.Join(c.Args, " "), log)
		}
	})
}
