package main

import (
	"archive/zip"
	"io"

	"github.com/memviz-go/memviz/pkg/report"
)

// writeZip writes an archive that holds the report and nothing else. It has no
// times, so that the same report gives the same bytes.
func writeZip(w io.Writer, name string, document *report.Document) error {
	archive := zip.NewWriter(w)
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	if _, err := document.WriteTo(entry); err != nil {
		return err
	}
	return archive.Close()
}
