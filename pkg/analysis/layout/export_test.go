package layout

var ClassOfMalloc, Gap = classOfMalloc, gap
