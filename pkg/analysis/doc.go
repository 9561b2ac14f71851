// Package analysis answers questions about a replayed snapshot, one question a
// file: where a tensor was asked for, what it was for, which phase of training
// it was born in, where one step ends and the next begins, and what survives
// steps.
//
// Answers rest on the names in recorded stacks and on lifetimes. [Stacks] reads
// the names once per file; [Classify] and [FindPhases] combine them with the
// allocations of one device. [FindSteps], [FindLeaks] and [FindCycles] read what
// happens again and again. A conclusion always carries its [Rule], which says
// how it was reached and how far it can be trusted.
package analysis
