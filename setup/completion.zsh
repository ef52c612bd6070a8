#compdef xhpl xdgemm xhpl-campaign hpl-report
# SPDX-License-Identifier: BSD-3-Clause
#
# Completion for zsh: a program's options and settings, as its own --help names them.

_xhpl() {
    local topic= help
    [[ ${words[1]:t} = xhpl ]] && topic=all
    help=$("${words[1]}" --help $topic 2>/dev/null)
    if [[ ${words[CURRENT-1]} = --set ]]; then
        compadd -S = -- $(sed -n 's/^  \([a-z0-9_]*\)=.*/\1/p' <<< "$help")
    elif [[ ${words[CURRENT]} = -* ]]; then
        compadd -- $(grep -oE '(^|[ ,])--?[a-z][a-z-]*' <<< "$help" | tr -d ' ,' | sort -u)
    else
        _files
    fi
}

_xhpl "$@"
