#!/bin/sh
# Accept the nodes of a file, one a line, over ssh and Open MPI's mpirun. The folder
# of the campaign has to be one that all of them see: campaign.sh nodes
# Interrupted, the same command goes on.
set -eu

# shellcheck disable=SC2086 # several words
exec ${CAMPAIGN:-xhpl-campaign} run --launcher ssh --hostfile "${1:-nodes}" \
    -C campaign ${OPTIONS-}
