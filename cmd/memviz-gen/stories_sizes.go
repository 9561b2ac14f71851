package main

var sizeStories = []story{
	{"what-fits", "two recordings predict a third, and what fits a GPU", []take{
		{file: "128.pickle.gz", all: true, gpt: true, play: whatFits(128)},
		{file: "256.pickle.gz", all: true, gpt: true, play: whatFits(256)},
		{file: "512.pickle.gz", all: true, gpt: true, play: whatFits(512)}}},
}

// whatFits trains the GPT on sequences of a length.
func whatFits(length int64) func(*process) {
	return func(p *process) {
		p.main(func() {
			p.at(`run(here / f"{length}.pickle.gz", length)`, func() {
				t := p.newGPTRun(newGPT(6, 512, 8, 16384), 8, length)
				t.step()
				t.step()
			})
		})
	}
}
