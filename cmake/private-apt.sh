# This file is part of cafwire. See the file LICENSE for license terms.
# shellcheck shell=bash

# Functions that take packages from suites of Debian that this machine is not set up for. They use the
# machine's own mirror and an apt configuration of their own in a folder of the caller, so that the
# system's sources and package lists stay as they are.

private_apt_as=()

# Prints the address of the Debian mirror that the machine's apt uses; fails if there is none. Other
# origins (and Debian's security archive, which has no experimental suite) do not count. `apt-get update`
# must have been run at some time, since only the lists say whose they are.
private_apt_mirror() {
  local mirror
  # The format is apt's, not the shell's.
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' 2>/dev/null \
    | sort -u | head -n 1)
  [[ -n $mirror ]] && printf '%s\n' "$mirror"
}

# private_apt_init FOLDER LINE...: makes an apt configuration in FOLDER with the given lines of the form
# `TYPE [OPTION...] SUITE COMPONENT` as its sources, all of them on the machine's mirror, and loads the
# lists. Fills the array private_apt_options for private_apt. Fails with apt's output on stderr.
private_apt_init() {
  local folder=$1 mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg trust='' line
  shift
  mirror=$(private_apt_mirror) || {
    echo "apt knows no Debian mirror (apt-get indextargets lists none of origin Debian)" >&2
    return 1
  }
  # Where apt does not trust Debian's keys for every source, each source has to name them.
  if [[ -r $keyring ]] && ! compgen -G '/etc/apt/trusted.gpg.d/debian-archive-*' >/dev/null; then
    trust=" signed-by=$keyring"
  fi
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
  : >"$folder/sources.list"
  for line in "$@"; do
    # `[lang=none]` is there so that the brackets are never empty, which apt would refuse.
    [[ $line == *\[*\]* ]] || line=${line/ / [lang=none] }
    line=${line/]/$trust] $mirror}
    printf '%s\n' "$line" >>"$folder/sources.list"
  done
  private_apt_options=(
    -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache"
    -o APT::Sandbox::User=root -o Acquire::Retries=3 -o Acquire::Languages=none
    -o DPkg::Lock::Timeout=300)
  # Without this, apt reports success although a list could not be loaded.
  apt-get "${private_apt_options[@]}" -o APT::Update::Error-Mode=any update
}

# Runs apt-get with the configuration that private_apt_init made; `private_apt_as` may hold a command
# such as sudo to run it with.
private_apt() {
  "${private_apt_as[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get "${private_apt_options[@]}" "$@"
}
