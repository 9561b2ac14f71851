package analysis

// CountDerived has count called for everything that is derived from now on, and
// returns what ends that.
func CountDerived(count func(what string)) (stop func()) {
	derived = count
	return func() { derived = func(string) {} }
}
