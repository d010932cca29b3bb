# Completion of gfncp in bash. Load it with: source <(gfncp completion bash)
_gfncp() {
	local word=${COMP_WORDS[COMP_CWORD]} flag=
	[[ $word == -* ]] && flag=-
	COMPREPLY=($(compgen -W "$("${COMP_WORDS[@]:0:COMP_CWORD}" $flag --generate-bash-completion 2>/dev/null)" -- "$word"))
}
complete -o bashdefault -o default -F _gfncp gfncp
