# SPDX-License-Identifier: BSD-3-Clause
#
# Completion for bash: a program's commands, options and settings, as its own --help
# names them.

_xhpl_complete() {
    local help word=$2 before=$3
    local topic=
    [[ ${1##*/} = xhpl ]] && topic=all
    # shellcheck disable=SC2086 # no word is left out
    help=$("$1" --help $topic 2>/dev/null)
    COMPREPLY=()
    if [[ $before = --set ]]; then
        compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -S = -W \
            "$(sed -n 's/^  \([a-z0-9_]*\)=.*/\1/p' <<< "$help")" -- "$word")
    elif [[ $word = -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W \
            "$(sed -n '/^  -/s/\([^ ]\)  .*/\1/; s/^  -/, -/p' <<< "$help" |
                grep -oE ', --?[a-zA-Z][a-z0-9-]*' | tr -d ', ')" -- "$word")
    elif [[ $before = "$1" ]]; then
        mapfile -t COMPREPLY < <(compgen -W \
            "$(sed -n '1s/.*{\(.*\)}.*/\1/p' <<< "$help" | tr , ' ')" -- "$word")
    fi
}

complete -o default -F _xhpl_complete xhpl xdgemm xhpl-campaign hpl-report
