package assets

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEChartsChecksum(t *testing.T) {
	f, err := os.Open("echarts/CHECKSUMS")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sums := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) == 2 {
			sums[fields[1]] = fields[0]
		}
	}
	sum := sha256.Sum256([]byte(ECharts))
	if got, want := hex.EncodeToString(sum[:]), sums["echarts.min.js"]; got != want {
		t.Errorf("sha256 of echarts.min.js is %s, CHECKSUMS has %q; see echarts/README.md", got, want)
	}
	version, err := os.ReadFile("echarts/VERSION")
	if err != nil {
		t.Fatal(err)
	}
	v := strings.TrimSpace(string(version))
	if !strings.HasPrefix(sums["echarts@"+v], "sha512-") {
		t.Errorf("CHECKSUMS has no integrity of echarts@%s", v)
	}
	if !strings.Contains(ECharts, `"`+v+`"`) {
		t.Errorf("the bundle does not hold version %s", v)
	}
}

func TestEChartsLicences(t *testing.T) {
	for name, holder := range map[string]string{
		"LICENSE":         "Apache License",
		"NOTICE":          "The Apache Software Foundation",
		"LICENSE-d3":      "Mike Bostock",
		"LICENSE-zrender": "Baidu",
		"LICENSE-tslib":   "Microsoft",
	} {
		text, err := os.ReadFile(filepath.Join("echarts", name))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(text), holder) {
			t.Errorf("%s does not name %s", name, holder)
		}
		if !strings.Contains(ECharts[:4096], "Apache ECharts") || !strings.Contains(ECharts[:4096], "BSD 3-Clause") {
			t.Error("the bundle does not begin with its notices")
		}
	}
}
