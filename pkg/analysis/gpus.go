package analysis

import "strings"

// GPU is a card that many people have.
type GPU struct {
	Name  string
	Bytes int64 // what PyTorch reports as its memory, to about 0.3 GiB
}

// gpus are cards by name, with the totals that PyTorch reports in GiB. A name
// that stands for several sizes comes with its size only.
var gpus = []struct {
	name  string
	total float64
}{
	{"V100-16GB", 15.8}, {"V100-32GB", 31.8}, {"T4", 14.8},
	{"RTX 3090", 23.7}, {"RTX 4090", 23.7}, {"A10", 22.2}, {"A10G", 22.2}, {"L4", 22.2},
	{"A40", 44.6}, {"L40", 44.6}, {"L40S", 44.6}, {"RTX A6000", 47.6},
	{"A100-40GB", 39.6}, {"A100-80GB", 79.4}, {"H100-80GB", 79.4}, {"H20", 95.3}, {"H200", 139.9}, {"B200", 178.5},
	{"MI300X", 192},
}

// FindGPU finds a card by its name, also as nvidia-smi writes it: H100, rtx4090,
// NVIDIA A100-SXM4-80GB.
func FindGPU(name string) (GPU, bool) {
	asked := plainGPU(name)
	var found []GPU
	for _, card := range gpus {
		known := plainGPU(card.name)
		gpu := GPU{Name: card.name, Bytes: int64(card.total * (1 << 30))}
		if asked == known {
			return gpu, true
		}
		if size, more := strings.CutPrefix(known, asked); more && asked != "" &&
			strings.Trim(size, "0123456789") == "gb" {
			found = append(found, gpu)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return GPU{}, false
}

// GPUNames are the names of all cards that [FindGPU] knows.
func GPUNames() []string {
	names := make([]string, len(gpus))
	for i := range gpus {
		names[i] = gpus[i].name
	}
	return names
}

// gpuWords say who made a card and how it is built, not which it is.
var gpuWords = strings.NewReplacer("nvidia", "", "geforce", "", "tesla", "", "amd", "", "instinct", "", "rtx", "",
	"sxm2", "", "sxm3", "", "sxm4", "", "sxm5", "", "sxm", "", "pcie", "", "hbm3e", "", "hbm3", "", "hbm2e", "")

// plainGPU is a name without such words and signs: "a10080gb".
func plainGPU(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, gpuWords.Replace(strings.ToLower(name)))
}
