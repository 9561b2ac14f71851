package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"time"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/memviz-go/memviz/cmd/internal/build"
	"github.com/memviz-go/memviz/cmd/internal/components"
)

// writeBillOfMaterials writes the components of memviz as CycloneDX, for vulnerability scanners
// and licence inventories. It covers the binaries of all targets.
func writeBillOfMaterials(w io.Writer, source *build.Source, memviz *components.Component,
	others []*components.Component) error {
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = serialNumber(source)
	subject := materialOf(memviz)
	subject.Type = cyclonedx.ComponentTypeApplication
	subject.ExternalReferences = &[]cyclonedx.ExternalReference{
		{Type: cyclonedx.ERTypeVCS, URL: "https://" + build.Module, Comment: "commit " + source.Commit},
	}
	bom.Metadata = &cyclonedx.Metadata{Timestamp: source.Time.Format(time.RFC3339), Component: &subject}
	list := make([]cyclonedx.Component, len(others))
	dependencies := []cyclonedx.Dependency{dependenciesOf(memviz)}
	for i, c := range others {
		list[i] = materialOf(c)
		dependencies = append(dependencies, dependenciesOf(c))
	}
	bom.Components, bom.Dependencies = &list, &dependencies
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).
		EncodeVersion(bom, cyclonedx.SpecVersion1_6) // the newest that most scanners read
}

func materialOf(c *components.Component) cyclonedx.Component {
	m := cyclonedx.Component{
		BOMRef: c.URL, Type: cyclonedx.ComponentTypeLibrary, Name: c.Name, Version: c.Version, PackageURL: c.URL,
	}
	if c.Sum != "" {
		m.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgorithm(c.SumAlgorithm), Value: c.Sum}}
	}
	licences := make(cyclonedx.Licenses, len(c.Licences))
	for i, id := range c.Licences {
		licences[i].License = &cyclonedx.License{ID: id}
	}
	m.Licenses = &licences
	return m
}

func dependenciesOf(c *components.Component) cyclonedx.Dependency {
	d := cyclonedx.Dependency{Ref: c.URL}
	if len(c.Uses) > 0 {
		d.Dependencies = &c.Uses
	}
	return d
}

// serialNumber is a version 8 UUID that identifies the release.
func serialNumber(source *build.Source) string {
	u := sha256.Sum256([]byte(build.Module + "@" + source.Version + " " + source.Commit))
	u[6] = u[6]&0x0f | 0x80
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
