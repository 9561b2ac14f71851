package compare

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
)

// ByFile returns the difference with a row for each file. Files of the two recordings
// with a matched line are one, wherever they lie; the Site of such a row has only its
// File. Call sites without a file are rows by function.
func (d *Difference) ByFile(lines *Lines) *Difference {
	files := fileSets(lines)
	return d.rollUp(func(row *DiffRow) stacks.Site {
		g := &lines.Groups[row.Group]
		file := g.file[After]
		if !g.Has[After] {
			file = g.file[Before]
		}
		if file == "" {
			return stacks.Site{Function: row.Site.Function}
		}
		return stacks.Site{File: find(files, file)}
	})
}

// ByFunction returns the difference with a row for each function name; the Site of such a
// row has only its Function.
func (d *Difference) ByFunction() *Difference {
	return d.rollUp(func(row *DiffRow) stacks.Site { return stacks.Site{Function: row.Site.Function} })
}

// rollUp joins rows with the same key.
func (d *Difference) rollUp(key func(*DiffRow) stacks.Site) *Difference {
	sum := *d
	sum.Rows, sum.unchanged, sum.UnchangedRows, sum.UnchangedBytes = nil, nil, 0, 0
	type identity struct {
		site  stacks.Site
		named bool
	}
	index := map[identity]int{}
	var rows []DiffRow
	for _, list := range [][]DiffRow{d.Rows, d.unchanged} {
		for i := range list {
			row := &list[i]
			id := identity{key(row), row.Named}
			at, known := index[id]
			if !known {
				at = len(rows)
				index[id] = at
				rows = append(rows, DiffRow{Group: -1, Site: id.site, Named: row.Named})
			}
			rows[at].Before.merge(row.Before.Amount)
			rows[at].After.merge(row.After.Amount)
		}
	}
	for _, row := range rows {
		sum.addRow(row)
	}
	slices.SortStableFunc(sum.Rows, compareDiffRows)
	return &sum
}

// fileSets joins files with matched lines: it returns the parent of each file, which is
// the file itself for the one that names the set.
func fileSets(lines *Lines) map[string]string {
	parent := map[string]string{}
	for i := range lines.Groups {
		g := &lines.Groups[i]
		for side, file := range g.file {
			if _, known := parent[file]; g.Has[side] && !known {
				parent[file] = file
			}
		}
		if g.Both() {
			a, b := find(parent, g.file[Before]), find(parent, g.file[After])
			parent[a] = b
		}
	}
	return parent
}

func find(parent map[string]string, file string) string {
	for parent[file] != file {
		parent[file] = parent[parent[file]]
		file = parent[file]
	}
	return file
}
