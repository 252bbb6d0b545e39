"""The command line as a subprocess: scenarios in, answers out."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig

NAME = "highwater" + (sysconfig.get_config_var("EXE") or "")


class Error(ValueError):
    """What the engine refuses, in its words."""


def program():
    """The path of the command line: that of `HIGHWATER_BIN`, the wheel's, or the first on the path."""
    named = os.environ.get("HIGHWATER_BIN")
    if named:
        return named
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    user = sysconfig.get_preferred_scheme("user") if sys.version_info >= (3, 10) else os.name + "_user"
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=user),
        os.path.join(here, "bin"),  # pip install --target
        os.path.normpath(os.path.join(here, "..", "..", "..", "bin")),  # another environment's packages on the path
    ]
    for folder in folders:
        path = os.path.join(folder, NAME)
        if os.path.isfile(path):
            return path
    found = shutil.which(NAME)
    if found:
        return found
    raise Error(f"The program {NAME} is not there: it comes with the wheel, or HIGHWATER_BIN names it.")


def ask(words, scenario, folder=None):
    """The output of a command for a scenario. Paths in it begin at `folder`."""
    command = [program(), *words]
    done = subprocess.run(
        command, input=json.dumps(scenario).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    )
    answer, said = done.stdout.decode(), done.stderr.decode().strip()
    if done.returncode in (0, 3):  # 3: it does not fit
        return answer
    raise Error(refusal(answer) or said or f"{words[0]} ended with {done.returncode}.")


def refusal(answer):
    """The sentence of an answer that is a refusal."""
    try:
        return json.loads(answer).get("error")
    except ValueError:
        return answer.strip()
