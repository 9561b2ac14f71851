package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// color is what the viewer hands to the browser.
var color = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// checkModel holds what was read as JSON against what the viewer relies on.
func checkModel(r *Report) error {
	if field := missing(reflect.ValueOf(r).Elem()); field != "" {
		return fmt.Errorf("%s is missing", field)
	}
	for _, hues := range [][]Hue{r.Palette.Light, r.Palette.Dark} {
		for _, h := range hues {
			for _, c := range append(h.Shades[:], h.Color, h.Ink) {
				if !color.MatchString(c) {
					return fmt.Errorf("%.40q is no colour", c)
				}
			}
		}
	}
	for _, f := range r.Families {
		if f.Hue < 0 || f.Hue >= len(r.Palette.Light) || f.Hue >= len(r.Palette.Dark) {
			return fmt.Errorf("family %.40q has no colour", f.Key)
		}
	}
	for _, rule := range r.Rules {
		if rule.Family < 0 || rule.Family >= len(r.Families) {
			return fmt.Errorf("a rule is for family %d of %d", rule.Family, len(r.Families))
		}
	}
	for i := range r.Files {
		if err := checkFileModel(&r.Files[i], i, len(r.Families)); err != nil {
			return err
		}
	}
	if r.Start != (Start{}) && (r.Start.File < 0 || r.Start.File >= len(r.Files) ||
		r.Start.Device < 0 || r.Start.Device >= len(r.Files[r.Start.File].Devices)) {
		return errors.New("it starts with a device that it does not hold")
	}
	return nil
}

func checkFileModel(f *File, number, families int) error {
	if want := "stacks-" + strconv.Itoa(number); f.Stacks != want || len(f.Streams) == 0 {
		return fmt.Errorf("the stacks of file %d are called %.40q, and it has %d streams", number, f.Stacks,
			len(f.Streams))
	}
	if p := f.Predicted; p != nil && (p.X < 1 || p.Base < 1) {
		return fmt.Errorf("file %d is predicted at %d, from a recording at %d", number, p.X, p.Base)
	}
	if want := "snapshot-" + strconv.Itoa(number); f.Snapshot != "" && f.Snapshot != want {
		return fmt.Errorf("the snapshot of file %d is called %.40q", number, f.Snapshot)
	}
	for j := range f.Devices {
		d := &f.Devices[j]
		id := strconv.Itoa(number) + "-" + strconv.Itoa(j)
		if d.Payload != "device-"+id || d.Lanes.Payload != "lanes-"+id {
			return fmt.Errorf("the payloads of device %s are called %.40q and %.40q", id, d.Payload, d.Lanes.Payload)
		}
		if s := d.Space; s != nil && (s.Payload != "space-"+id || s.Addresses != "addresses-"+id || d.WideAddr) {
			return fmt.Errorf("the space of device %s is called %.40q, with the addresses %.40q", id, s.Payload,
				s.Addresses)
		}
		if p := d.Predicted; p != nil && p.Space != nil && (p.Space.Payload != "predicted-"+id || d.Space == nil) {
			return fmt.Errorf("the predicted space of device %s is called %.40q", id, p.Space.Payload)
		}
		if err := d.Measures.check(id, d.Space != nil); err != nil {
			return err
		}
		if d.PeakState < 0 || d.PeakState > d.Events || d.TimeStepMicros < 1 || d.SpanMicros < 0 ||
			d.SpanMicros > MaxExact {
			return fmt.Errorf("device %s has its peak in state %d of %d, and times in steps of %d in a span of %d", id,
				d.PeakState, d.Events, d.TimeStepMicros, d.SpanMicros)
		}
		if _, err := strconv.ParseUint(d.BaseAddr, 0, 64); err != nil {
			return fmt.Errorf("the lowest address of device %s is %.40q", id, d.BaseAddr)
		}
		for _, card := range d.Answers {
			for _, part := range card.Bar {
				if part.Family < 0 || part.Family >= families {
					return fmt.Errorf("an answer of device %s names family %d of %d", id, part.Family, families)
				}
			}
		}
	}
	return nil
}

// missing is the path of the first list that is null or was left out, "" if
// none is.
func missing(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if tag := field.Tag.Get("json"); tag == "-" || strings.HasSuffix(tag, ",omitempty") {
				continue
			}
			if inside := missing(v.Field(i)); inside != "" {
				return field.Name + inside
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			return " "
		}
		for i := range v.Len() {
			if inside := missing(v.Index(i)); inside != "" {
				return "." + inside
			}
		}
	}
	return ""
}

// Read reads the report as JSON.
func Read(text []byte) (*Report, error) {
	const element = "memviz-report"
	if text == nil {
		return nil, Damaged(element, errors.New("it is missing, the file may have been cut"))
	}
	var is struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return nil, Damaged(element, err)
	}
	number, err := strconv.Atoi(strings.TrimPrefix(is.Schema, reportSchema))
	switch {
	case !strings.HasPrefix(is.Schema, reportSchema) || err != nil:
		return nil, Damaged(element, fmt.Errorf("its schema is %.40q", is.Schema))
	case number > schemaNumber():
		return nil, fmt.Errorf("the report is of a newer memviz: it has the schema %.40s, and %s knows %s; use "+
			"a newer one", is.Schema, "this program", schema)
	case number < 1 || is.Schema != reportSchema+strconv.Itoa(number):
		return nil, Damaged(element, fmt.Errorf("no memviz wrote the schema %.40q", is.Schema))
	}
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, Damaged(element, err)
	}
	r.Schema = schema // older ones have less, and are written as this one
	if err := checkModel(r); err != nil {
		return nil, Damaged(element, err)
	}
	return r, nil
}

func schemaNumber() int {
	number, _ := strconv.Atoi(strings.TrimPrefix(schema, reportSchema))
	return number
}

// reportSchema is the part of Schema in front of its number.
const reportSchema = "memviz.report/"

// Damaged is an error of a report that is not what a report should be.
func Damaged(element string, err error) error {
	return fmt.Errorf("damaged report: %s: %w; copy the file again, or write the report again from the snapshot",
		element, err)
}
