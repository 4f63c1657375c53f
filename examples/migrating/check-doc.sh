#!/usr/bin/env bash
# This file is part of cafwire. See the file LICENSE for license terms.

# check-doc.sh PAGE: fails unless the blocks of the page that begin with ```diff are what has changed
# between the examples, in this order.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

changes() {
  # Without context, and without the lines that say where in the files.
  { diff --unified=0 "before_$1.cpp" "after_$1.cpp" || [[ $? == 1 ]]; } | sed -e '/^---/d' -e '/^+++/d' -e '/^@@/d'
}

shown=$(sed -n '/^```diff$/,/^```$/p' "$1" | sed '/^```/d')
actual=$(changes server; changes client)
if [[ $shown != "$actual" ]]; then
  echo "$1 does not show what has changed in examples/migrating:"
  diff <(echo "$actual") <(echo "$shown") || true
  exit 1
fi
