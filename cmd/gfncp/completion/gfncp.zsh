#compdef gfncp
# Completion of gfncp in zsh. Load it after compinit with: source <(gfncp completion zsh)
# or save it as _gfncp in a folder of $fpath.
_gfncp() {
	local line word paths=0
	local -a found keys
	for line in "${(@f)$("${(Q)words[1]/#\~\//$HOME/}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
		word=${line%%$'\t'*}
		case $line in
		'') ;;
		:paths) paths=1 ;;
		*$'=\t'*) keys+=("${word//:/\\:}:${line#*$'\t'}") ;;
		*) found+=("${word//:/\\:}:${line#*$'\t'}") ;;
		esac
	done
	(( $#found )) && _describe gfncp found
	(( $#keys )) && _describe gfncp keys -S ''
	if (( paths )); then
		compset -P '--*='
		_files
	fi
}
if [[ $funcstack[1] == _gfncp ]]; then
	_gfncp "$@"
else
	compdef _gfncp gfncp
fi
