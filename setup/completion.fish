# SPDX-License-Identifier: BSD-3-Clause
#
# Completion for fish: a program's commands, options and settings, as its own --help
# names them.

function __xhpl_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -l topic
    test (basename $program) = xhpl; and set topic all
    if test "$words[-1]" = --set
        $program --help $topic 2>/dev/null | sed -n 's/^  \([a-z0-9_]*\)=.*/\1=/p'
    else if string match -q -- '-*' (commandline -ct)
        $program --help $topic 2>/dev/null | sed -n '/^  -/s/\([^ ]\)  .*/\1/; s/^  -/, -/p' |
            grep -oE ', --?[a-zA-Z][a-z0-9-]*' | tr -d ', '
    else if test (count $words) = 1
        $program --help $topic 2>/dev/null | sed -n '1s/.*{\(.*\)}.*/\1/p' | tr , '\n'
    end
end

for name in xhpl xdgemm xhpl-campaign hpl-report
    complete -c $name -a '(__xhpl_complete)'
end
