# Completion of memviz in fish.
function __memviz_complete
	set -l words (commandline -opc) (commandline -ct)
	memviz __complete $words[2..-1] 2>/dev/null
end
complete -c memviz -f -n 'test (count (__memviz_complete)) -gt 0' -a '(__memviz_complete)'
complete -c memviz -F -n 'test (count (__memviz_complete)) -eq 0'
