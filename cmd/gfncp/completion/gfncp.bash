# Completion of gfncp in bash 3.2 or later. Load it with: source <(gfncp completion bash)
_gfncp() {
	local line=${COMP_LINE:0:COMP_POINT} part=${COMP_WORDS[COMP_CWORD]} word paths= words
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	local last=${words[${#words[@]}-1]}
	[[ $part == [=:] ]] && part= # bash parts words at = and :, and replaces only what follows
	[[ $last == *"$part" ]] || part=$last
	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		if [[ $word == :paths ]]; then
			paths=1
		else
			COMPREPLY+=("${word#"${last%"$part"}"}")
		fi
	done < <("${words[0]/#\~\//$HOME/}" __complete "${words[@]:1}" 2>/dev/null)
	if [[ $paths ]]; then
		compopt -o filenames 2>/dev/null
		while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$part")
	fi
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}
complete -F _gfncp gfncp
