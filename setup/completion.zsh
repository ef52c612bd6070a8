#compdef xhpl xdgemm xhpl-campaign hpl-report
# SPDX-License-Identifier: BSD-3-Clause
#
# Completion for zsh: a program's commands, options and settings, as its own --help
# names them.

_xhpl() {
    local topic= help
    local -a commands
    [[ ${words[1]:t} = xhpl ]] && topic=all
    help=$("${words[1]}" --help $topic 2>/dev/null)
    commands=($(sed -n '1s/.*{\(.*\)}.*/\1/p' <<< "$help" | tr , ' '))
    if [[ ${words[CURRENT-1]} = --set ]]; then
        compadd -S = -- $(sed -n 's/^  \([a-z0-9_]*\)=.*/\1/p' <<< "$help")
    elif [[ ${words[CURRENT]} = -* ]]; then
        compadd -- $(sed -n '/^  -/s/\([^ ]\)  .*/\1/; s/^  -/, -/p' <<< "$help" |
            grep -oE ', --?[a-zA-Z][a-z0-9-]*' | tr -d ', ')
    elif [[ $CURRENT = 2 && -n $commands ]]; then
        compadd -- $commands
    else
        _files
    fi
}

_xhpl "$@"
