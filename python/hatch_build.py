"""Puts the program into the wheel: GFNCP_PROGRAM names it, GFNCP_NOTICES the licences in it, and GFNCP_PLATFORM the
systems on which it runs."""

import os
import pathlib

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Program(BuildHookInterface):
    def initialize(self, version, build_data):
        program = os.environ.get("GFNCP_PROGRAM")
        if not program or version == "editable":
            return  # the package then looks for a program elsewhere
        build_data["shared_scripts"][program] = pathlib.Path(program).name
        build_data["extra_metadata"][os.environ["GFNCP_NOTICES"]] = "NOTICES.txt"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ['GFNCP_PLATFORM']}"
