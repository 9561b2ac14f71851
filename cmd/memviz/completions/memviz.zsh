#compdef memviz
# Completion of memviz in zsh.
_memviz() {
	local current=${words[CURRENT]}
	local -a typed possible
	typed=("${(@)words[2,CURRENT-1]}")
	if [[ $current == -* ]]; then
		typed+=(-) # for all flags; compadd picks
	fi
	possible=("${(@f)$("${words[1]}" "${typed[@]}" --generate-bash-completion 2>/dev/null)}")
	if [[ -n ${possible[1]} ]]; then
		compadd -- "${possible[@]}"
	else
		_files
	fi
}
if [[ ${funcstack[1]} == _memviz ]]; then
	_memviz "$@"
else
	compdef _memviz memviz
fi
