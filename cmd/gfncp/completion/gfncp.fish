# Completion of gfncp in fish. Load it with: gfncp completion fish | source
function __gfncp_complete
	set -l words (commandline -opc)
	set -l last (commandline -ct)
	set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
	for line in ($program __complete $words[2..-1] "$last" 2>/dev/null)
		if test "$line" = :paths
			set -l flag (string match -r '^--[^=]*=' -- "$last")
			for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- "$last"))
				echo "$flag$path"
			end
		else
			echo $line
		end
	end
end
complete -c gfncp -f -a '(__gfncp_complete)'
