package answer

func (c *Condition) setKey(key string) { c.key = key }
