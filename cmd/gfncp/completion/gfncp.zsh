#compdef gfncp
# Completion of gfncp in zsh. Load it after compinit with: source <(gfncp completion zsh)
# or save it as _gfncp in a folder of $fpath.
_gfncp() {
	local flag
	[[ ${words[CURRENT]} == -* ]] && flag=-
	local -a found=(${(f)"$(${(Q)words[1,CURRENT-1]} $flag --generate-bash-completion 2>/dev/null)"})
	compadd -a found || _files
}
if [[ $funcstack[1] == _gfncp ]]; then
	_gfncp "$@"
else
	compdef _gfncp gfncp
fi
