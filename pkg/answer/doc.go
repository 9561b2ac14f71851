// Package answer turns conclusions into answers that people and programs read,
// one question a file: the same [Sheet] is text for a terminal of 80 columns,
// Markdown for a ticket, and JSON for scripts. It holds every sentence that
// memviz says about memory; the report takes its own from here.
package answer
