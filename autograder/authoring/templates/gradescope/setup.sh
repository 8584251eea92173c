#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image: the sandbox's two packages, and the grader in an environment of its own.
set -euo pipefail
cd "${AUTOGRADER:-/autograder}/source"
if ! command -v bwrap > /dev/null || ! command -v python3 > /dev/null || ! ldconfig -p | grep -q libseccomp.so.2; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq bubblewrap libseccomp2 python3 python3-venv
fi
python3 -m venv .venv
.venv/bin/python -m pip install --disable-pip-version-check --no-input -c requirements.lock -e '.[sandbox]'
