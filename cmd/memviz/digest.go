package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/units"
)

type digestOptions struct {
	digestsOptions
	output  output
	rankVar string // environment variable that has the rank
}

func digestCommand(t *terminal) *cli.Command {
	var o digestOptions
	return &cli.Command{
		Name:      "digest",
		Usage:     "write what ranks needs to compare snapshots, a few KB for each",
		ArgsUsage: "SNAPSHOT...",
		Description: "Run it on each machine that has snapshots, so that only digests have to be copied.\n" +
			"A directory stands for all snapshots in it. Files of digests, compressed or not, can be\n" +
			"joined with cat in any order; duplicates count once:\n\n" +
			"    memviz digest --host $HOSTNAME -o $HOSTNAME.jsonl.gz snapshots/\n" +
			"    cat *.jsonl.gz > job.jsonl.gz\n" +
			"    memviz ranks job.jsonl.gz\n\n" +
			"A digest is one line of JSON for each device. A file that cannot be read gets a line with\n" +
			"the reason, which is not an error: the digests of the other ranks are still useful.\n\n" +
			"Ranks are read from the names of the files. If those have none and every process makes\n" +
			"its own digest, use --rank-from-env:\n\n" +
			"    RANK=3 memviz digest --rank-from-env RANK -o 3.jsonl.gz snap.pickle\n\n" +
			"Redacted ranks can be compared if their pseudonyms come from the same secret:\n\n" +
			"    MEMVIZ_SALT=secret memviz digest --redact all -o job.jsonl.gz snapshots/",
		Flags: o.inputOptions.flags(
			o.output.flag("write to `FILE`, compressed if its name ends in .gz or .gzip (default: standard output)"),
			option("host", "", "the snapshots were recorded on the machine `NAME`", &o.host, asText),
			option("report", "", "each rank has a report of its own at `LINK`, a path relative to where the "+
				"comparison will be; {rank} is replaced by the rank and {name} by the name of the file without "+
				"extensions, as in reports/{name}.html", &o.report, parseReportLink),
			option("rank-from-env", "", "the one snapshot is of the rank in the environment variable `NAME`",
				&o.rankVar, asText),
			rankPatternFlag(&o.pattern),
			option("omit", "", "leave `WHAT` out of the digests: times", &o.omitTimes, func(text string) (bool, error) {
				_, err := oneOf(text, []string{"times"})
				return err == nil, err
			}, "times"),
			t.quietFlag(),
		),
		Action: action(t, func(args []string) error { return o.write(t, args) }),
	}
}

// parseReportLink reads a link to a file beside or below the page that contains the link.
func parseReportLink(text string) (string, error) {
	if !job.IsRelativeLink(text) {
		return "", fmt.Errorf("%q is not a relative link, such as reports/{name}.html", text)
	}
	return text, nil
}

// write makes the digests and writes them.
func (o *digestOptions) write(t *terminal, args []string) error {
	if redacts := o.redact.Paths || o.redact.Names; redacts && o.output.toFile() && len(o.redact.Salt) == 0 {
		return misuse("--redact needs --salt or MEMVIZ_SALT here: without the same secret, the digests of two runs " +
			"have different pseudonyms, and their ranks cannot be compared")
	}
	files, err := o.find(t, args, &o.output)
	if err != nil {
		return err
	}
	for _, file := range files.files {
		if !file.found && job.IsDigestFile(file.path) {
			return fmt.Errorf("%s holds digests already; join files of digests with cat", file.path)
		}
	}
	files.dropRepeated()
	if err := o.setRank(files); err != nil {
		return err
	}
	o.hashes = true
	list, err := o.digests(t, files)
	if err != nil {
		return err
	}
	files.warnSkipped(t)
	if len(list) == 0 {
		return files.errNone(files.first)
	}
	size, err := o.output.write(t, func(w io.Writer) error { return writeDigests(w, o.output.path, list) })
	if err != nil {
		return err
	}
	if n, _ := countUnread(list); n > 0 {
		say := "their lines say"
		if n == 1 {
			say = "its line says"
		}
		t.warn("%d of %s could not be read; %s why", n, units.Plural(len(files.files), "file", "files"), say)
	}
	if o.output.toFile() {
		t.confirm("wrote %s: %s, %s", &o.output, units.FileSize(size), units.Plural(len(list), "digest", "digests"))
	}
	return nil
}

// setRank takes the rank from the environment, if --rank-from-env was given.
func (o *digestOptions) setRank(files *sources) error {
	if o.rankVar == "" {
		return nil
	}
	if len(files.files) != 1 {
		return misuse("--rank-from-env is for one snapshot, and there are %d", len(files.files))
	}
	rank, err := strconv.Atoi(os.Getenv(o.rankVar))
	if err != nil || rank < 0 {
		return fmt.Errorf("--rank-from-env: the environment variable %s is %q, and not the number of a rank", o.rankVar,
			os.Getenv(o.rankVar))
	}
	o.rank = &rank
	return nil
}

// writeDigests writes digests, compressed if the name ends like a gzip file. Equal digests give
// equal bytes.
func writeDigests(w io.Writer, name string, list []job.Digest) error {
	write := func(w io.Writer) error {
		for i := range list {
			if err := job.WriteDigests(w, &list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if !slices.Contains([]string{".gz", ".gzip"}, strings.ToLower(filepath.Ext(name))) {
		return write(w)
	}
	z := gzip.NewWriter(w)
	if err := write(z); err != nil {
		return err
	}
	return z.Close()
}
