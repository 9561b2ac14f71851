package holders

var FoldedName = foldedName
