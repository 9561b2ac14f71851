// Package pickle turns pickle bytes into values, bounded in everything and
// without ever executing anything. It knows nothing of PyTorch.
//
// There are two ways in, and both feed the same [Builder]:
//
//   - [Stream] reads the opcodes that torch writes (protocols 2 to 5, plain
//     containers) in one pass over a stream. A value is one word, the memo is a
//     slice, strings are interned, and a container that the Builder recognises
//     becomes a row of its tables instead of a dict.
//   - [Load] reads everything else that a legitimate file may hold, through
//     gopickle, after a checker has walked all opcodes, held every length
//     against the bytes that remain and refused every global by its name that
//     is not on a short list of pure containers.
//
// Stream answers [ErrOtherWay] when it meets an opcode of the second kind.
//
// [LoadJSON] reads the same values from JSON text, for the same Builder.
package pickle
