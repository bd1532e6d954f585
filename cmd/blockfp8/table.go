package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table lays text out in columns. Numbers align right: a heading that ends in a
// space asks for that.
type table struct {
	headings []string
	rows     [][]string
}

func newTable(headings ...string) *table { return &table{headings: headings} }

func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

func (t *table) write(w io.Writer) error {
	headings := make([]string, len(t.headings))
	widths := make([]int, len(t.headings))
	for i, h := range t.headings {
		headings[i] = strings.TrimSuffix(h, " ")
		widths[i] = utf8.RuneCountInString(headings[i])
		for _, row := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range append([][]string{headings}, t.rows...) {
		if _, err := fmt.Fprintln(w, t.line(row, widths)); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) line(row []string, widths []int) string {
	var s strings.Builder
	for i, cell := range row {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i > 0 {
			s.WriteString("  ")
		}
		if strings.HasSuffix(t.headings[i], " ") {
			s.WriteString(pad + cell)
		} else {
			s.WriteString(cell + pad)
		}
	}
	return strings.TrimRight(s.String(), " ")
}

// writeJSON writes one JSON document.
func writeJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(document)
}
