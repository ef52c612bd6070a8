# SPDX-License-Identifier: BSD-3-Clause
"""Records of runs, held against their schema."""
import json
import re

import jsonschema

import jobs

SCHEMA = json.loads((jobs.SOURCE / "docs/record.schema.json").read_text())
# Older packages of jsonschema know this draft's words by an older name.
VALIDATOR = getattr(jsonschema, "Draft202012Validator", jsonschema.Draft7Validator)(SCHEMA)


def valid(text):
    """The record that text is; it fits the schema."""
    found = json.loads(text)
    wrong = [f"{list(e.path)}: {e.message}" for e in VALIDATOR.iter_errors(found)]
    assert wrong == []
    return found


def names(words):
    """What a command line has behind --json."""
    line = "\n".join(map(str, words))
    return re.findall(r"^--?json[=\n](.*)$", line, re.M)


def run(command, folder, env=None, limit=jobs.LIMIT):
    """Run a job of xhpl, and look at the record that it leaves, if any."""
    outcome = jobs.run(command, folder, env, limit)
    for path in (folder / name for name in names(command)):
        if path.is_file() and path.stat().st_size > 0:
            valid(path.read_text())
    return outcome


def statuses(found):
    return [test["status"] for test in found["tests"]]
