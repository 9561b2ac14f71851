package answer

// What tests of conditions on the answers of all questions need.
var (
	Objects   = objects
	Figure    = figure
	MostNamed = mostNamed
)

func (c *Condition) SetKey(key string) { c.key = key }

func (c *Condition) Unjudged(object map[string]any) bool { return c.unjudged(object) }
