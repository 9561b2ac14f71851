package pickle

// text is where a string stands in what is checked.
type text struct{ from, to int }

// noText stands for a memo entry that is no string.
var noText = text{-1, -1}

// checkedMemo is what the checker knows of a memo: which entries there are, and
// which of them are strings. Picklers count from 0, so nearly all is in order.
type checkedMemo struct {
	dense  []text
	sparse map[int]text
}

func (m *checkedMemo) len() int { return len(m.dense) + len(m.sparse) }

func (m *checkedMemo) get(i int) (entry text, ok bool) {
	if i < len(m.dense) {
		return m.dense[i], true
	}
	entry, ok = m.sparse[i]
	return entry, ok
}

func (m *checkedMemo) put(i int, entry text) {
	switch {
	case i < len(m.dense):
		m.dense[i] = entry
	case i == len(m.dense):
		delete(m.sparse, i)
		m.dense = append(m.dense, entry)
	default:
		if m.sparse == nil {
			m.sparse = map[int]text{}
		}
		m.sparse[i] = entry
	}
}
