# Completion of memviz in bash.
_memviz() {
	local current=${COMP_WORDS[COMP_CWORD]}
	local typed=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
	if [[ $current == -* ]]; then
		typed+=(-) # for all flags; compgen picks
	fi
	local IFS=$'\n'
	COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" "${typed[@]}" --generate-bash-completion 2>/dev/null)" -- "$current"))
}
complete -o bashdefault -o default -F _memviz memviz
