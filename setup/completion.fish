# SPDX-License-Identifier: BSD-3-Clause
#
# Completion for fish: a program's options and settings, as its own --help names them.

function __xhpl_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -l topic
    test (basename $program) = xhpl; and set topic all
    if test "$words[-1]" = --set
        $program --help $topic 2>/dev/null | sed -n 's/^  \([a-z0-9_]*\)=.*/\1=/p'
    else if string match -q -- '-*' (commandline -ct)
        $program --help $topic 2>/dev/null | grep -oE '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,' | sort -u
    end
end

for name in xhpl xdgemm xhpl-campaign hpl-report
    complete -c $name -a '(__xhpl_complete)'
end
