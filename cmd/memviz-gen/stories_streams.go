package main

var streamStories = []story{
	{"record-stream", "tensors are freed while another stream still reads them", []take{{play: recordStream}}},
	{"data-stream", "a generator copies batches ahead on a stream of its own", []take{{play: dataStream}}},
}

func recordStream(p *process) {
	const elements = 4 << 20
	p.main(func() {
		for i := range 6 {
			p.randn("batch", `batch = torch.randn(4 << 20, device="cuda")`, elements)
			p.at("total = consume(side, batch)", func() {
				var sum tensor
				p.on(sideStream, func() {
					p.at("total = batch.sum()", func() { sum = p.make(floatBytes, "sum") })
				})
				p.note(p.gpu.RecordStream(p.vars["batch"].addr, sideStream))
				p.set("total", sum)
			})
			p.at("del batch", func() { p.set("batch", tensor{}) })
			if i == 2 {
				p.gpu.Synchronize() // side.synchronize()
			}
		}
	})
}

func dataStream(p *process) {
	const rows, features = 4096, 1024
	load := "for x in batches(9):"
	p.main(func() {
		m := p.newMLP(1024, 1024)
		p.at(toCUDA, func() { m.cuda() })
		var ahead tensor
		copies := func() tensor {
			var batch tensor
			p.at(load, func() {
				p.on(sideStream, func() {
					p.at(`batch = host.to("cuda", non_blocking=True)`,
						func() { batch = p.make(rows*features*floatBytes, "to") })
				})
			})
			p.note(p.gpu.RecordStream(batch.addr, 0))
			return batch
		}
		ahead = copies()
		for i := range 9 {
			x := ahead
			if i < 8 {
				ahead = copies()
			}
			p.at(load, func() { p.set("x", x) })
			outputs := m.predict(forwards, rows)
			m.lose("loss = F.mse_loss(output, x)", rows*features)
			p.at(backwards, func() { m.fromLoss(rows, features, outputs) })
			p.at("optimizer.step()", func() {})
			p.at(forgetting, m.zeroGrad)
			p.gpu.Synchronize() // loss.item()
		}
	})
}
