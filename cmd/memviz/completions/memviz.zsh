#compdef memviz
# Completion of memviz in zsh.
_memviz() {
	local -a lines possible
	lines=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ -z ${lines[1]} ]]; then
		_files
		return
	fi
	possible=("${(@)${(@)lines//:/\\:}/$'\t'/:}")
	_describe memviz possible
}
if [[ ${funcstack[1]} == _memviz ]]; then
	_memviz "$@"
else
	compdef _memviz memviz
fi
