# Completion of memviz in bash.
_memviz() {
	local word
	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		COMPREPLY+=("$word")
	done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	if [[ ${#COMPREPLY[@]} == 1 && (${COMPREPLY[0]} == *= || ${COMP_WORDS[COMP_CWORD-1]} == --fail-if) ]]; then
		compopt -o nospace 2>/dev/null
	fi
}
complete -o bashdefault -o default -F _memviz memviz
