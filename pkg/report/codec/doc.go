// Package codec packs the columns of a report into the payloads of its page, and reads them
// again. A writer and a reader of the same payload are in files of the same name; the
// comment of package report says what the columns are.
package codec
