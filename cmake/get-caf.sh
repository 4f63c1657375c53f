#!/usr/bin/env bash
# This file is part of cafwire. See the file LICENSE for license terms.

# Builds CAF once and keeps it; prints the folder where it is installed on stdout, progress on stderr.
# A second call finds the copy and prints its folder at once.

set -euo pipefail

readonly debian_version=0.18.7-1~exp1
readonly debian_tarball=actor-framework_0.18.7.orig.tar.gz
readonly debian_sha256=d5c3abe8fd67a729aab1baeece10367637d903ba335f4c79378bcadfbcd34552

usage() {
  cat <<EOF
Usage: cmake/get-caf.sh [--source FOLDER|TARBALL] [--cxx COMPILER] [--cached]

Builds CAF's core and io modules (Release) and prints the folder where they are installed.

  --source PATH    build this source of CAF; default: CAFWIRE_CAF_SOURCE, else the source package
                   $debian_version of Debian's suite experimental, from the mirror that apt uses
  --cxx COMPILER   the compiler to build with; default: \$CXX, else c++
  --cached         build nothing: print the folder if CAF is there already, else fail

The copy is kept in \$CAFWIRE_CACHE, by default in \${XDG_CACHE_HOME:-~/.cache}/cafwire.
EOF
}

exec 8>&2 # for say, wherever the output of a step goes

say() {
  echo "get-caf: $*" >&8
}

die() {
  say "error: $1"
  shift
  local line
  for line in "$@"; do
    say "  $line"
  done
  exit 1
}

source_path=${CAFWIRE_CAF_SOURCE:-}
cxx=${CXX:-c++}
cached_only=no
while (($#)); do
  case $1 in
    --source | --cxx)
      (($# > 1)) || die "$1 needs a value"
      if [[ $1 == --source ]]; then source_path=$2; else cxx=$2; fi
      shift 2
      ;;
    --cached) cached_only=yes && shift ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
done

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ -z ${CAFWIRE_CACHE:-} && -z ${XDG_CACHE_HOME:-} && -z ${HOME:-} ]]; then
  die "no cache folder is known: set CAFWIRE_CACHE (or HOME)"
fi
cache=${CAFWIRE_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/cafwire}

# -- which copy is it? ---------------------------------------------------------

# Prints a checksum of what is to be built.
source_checksum() {
  if [[ -z $source_path ]]; then
    echo "$debian_sha256"
  elif [[ -d $source_path ]]; then
    (cd "$source_path" \
      && find . -name .git -prune -o -name build -prune -o -type f -print0 | LC_ALL=C sort -z \
      | xargs -0 sha256sum | sha256sum)
  else
    sha256sum <"$source_path"
  fi
}

if [[ -n $source_path ]]; then
  if [[ -d $source_path ]]; then
    [[ -r $source_path/libcaf_core/CMakeLists.txt ]] \
      || die "$source_path is not a source folder of CAF: it has no libcaf_core/CMakeLists.txt"
  elif [[ ! -f $source_path || ! -r $source_path ]]; then
    die "the source of CAF, $source_path, is neither a folder nor a readable tarball"
  fi
  label=custom
else
  label=${debian_version%%-*}
fi

compiler_version=$("$cxx" --version 2>/dev/null | head -n 1) \
  || die "the compiler $cxx does not run" "Install g++ 12 or later, or set CXX to your compiler."

# A copy fits one source, one compiler and one set of flags. The first number counts changes of how CAF
# is built below.
checksum=$(source_checksum)
key=$(printf '%s\n' 1 "${checksum%% *}" "$cxx" "$compiler_version" "${CXXFLAGS:-}" "${LDFLAGS:-}" \
  | sha256sum | cut -c 1-12)
prefix=$cache/caf-$label-$key

print_if_there() {
  if [[ -r $prefix/lib/cmake/CAF/CAFConfig.cmake ]]; then
    printf '%s\n' "$prefix"
    exit 0
  fi
}

print_if_there
if [[ $cached_only == yes ]]; then
  exit 1
fi

# -- one run at a time, and never a half-finished copy -------------------------

if ! { mkdir -p "$cache" && [[ -w $cache ]]; } 2>/dev/null; then
  die "cannot write to the cache folder $cache" \
    "Set CAFWIRE_CACHE to a folder that you can write to."
fi
command -v cmake >/dev/null || die "cmake is missing" "Install CMake 3.21 or later."

exec 9>"$cache/lock"
if ! flock -n 9; then
  say "another run is building CAF; waiting for it"
  flock 9
  print_if_there
fi

# The lock is ours: what is left of a run that was killed can go.
rm -rf "$cache"/unfinished.*
work=$(mktemp -d "$cache/unfinished.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir -p "$cache/log"
log=$cache/log/caf-$label-$key.log
: >"$log"

# Runs a command with its output in the log. If it fails, shows the end of the log, then the hints.
logged() {
  local what=$1 hint=$2
  shift 2
  "$@" >>"$log" 2>&1 9>&- || {
    tail -n 15 "$log" >&2
    die "$what failed; the whole log is $log" "$hint"
  }
}

# Passes Ninja's output on and says four times how far it is.
count_progress() {
  local line quarter last_quarter=0
  while IFS= read -r line; do
    printf '%s\n' "$line"
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      quarter=$((4 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      if ((quarter > last_quarter)); then
        say "built ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
        last_quarter=$quarter
      fi
    fi
  done
}

# -- the source ----------------------------------------------------------------

readonly other_ways="Other ways: install CAF and set CMAKE_PREFIX_PATH, or set CAFWIRE_CAF_SOURCE to \
a source folder or tarball of CAF 0.18.7 to 1.1, or configure with -DCAFWIRE_FETCH_CAF=ON."

# Loads the source package into $work and sets source_path.
get_debian_source() {
  command -v apt-get >/dev/null \
    || die "CAF is not installed, and without apt its source cannot be had from Debian" "$other_ways"
  # shellcheck source=cmake/private-apt.sh
  source "$here/private-apt.sh"
  say "loading the source package actor-framework $debian_version from the Debian mirror"
  # The checksum below proves the content, so an old list (of a mirror that is a snapshot) is good enough.
  logged "reading Debian's suite experimental" "$other_ways" \
    private_apt_init "$work/apt" "deb-src [check-valid-until=no] experimental main"
  pushd "$work" >/dev/null
  logged "loading the source package" "$other_ways" \
    private_apt source --tar-only --download-only "actor-framework=$debian_version"
  popd >/dev/null
  source_path=$work/$debian_tarball
  echo "$debian_sha256  $source_path" | sha256sum --check --status \
    || die "the SHA-256 of $debian_tarball is not $debian_sha256" "$other_ways"
}

if [[ -z $source_path ]]; then
  get_debian_source
fi
if [[ -d $source_path ]]; then
  source_folder=$(cd "$source_path" && pwd)
else
  source_folder=$work/source
  mkdir "$source_folder"
  logged "unpacking $source_path" "Is it a tarball of CAF's source?" \
    tar --extract --file "$source_path" --directory "$source_folder" --strip-components 1
  [[ -r $source_folder/libcaf_core/CMakeLists.txt ]] \
    || die "$source_path holds no source of CAF: it has no libcaf_core/CMakeLists.txt"
fi

# -- build and install ---------------------------------------------------------

generator=()
if command -v ninja >/dev/null; then
  generator=(-G Ninja)
fi
unset DESTDIR # it would move the copy out of the cache

say "building CAF with $compiler_version; this takes some minutes, once"
started=$SECONDS
logged "configuring CAF" "$other_ways" \
  cmake -S "$source_folder" -B "$work/build" "${generator[@]}" -D CMAKE_BUILD_TYPE=Release \
  -D CMAKE_CXX_COMPILER="$cxx" -D CMAKE_INSTALL_PREFIX="$work/prefix" -D CMAKE_INSTALL_LIBDIR=lib \
  -D CAF_ENABLE_EXAMPLES=OFF -D CAF_ENABLE_TESTING=OFF -D CAF_ENABLE_ROBOT_TESTS=OFF \
  -D CAF_ENABLE_TOOLS=OFF -D CAF_ENABLE_OPENSSL_MODULE=OFF -D CAF_ENABLE_NET_MODULE=OFF
build_caf() {
  cmake --build "$work/build" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" 2>&1 \
    | count_progress
}
logged "building CAF" "$other_ways" build_caf
logged "installing CAF" "Is the disk full?" cmake --install "$work/build"
mv "$work/prefix" "$prefix"
say "CAF is ready in $prefix ($((SECONDS - started)) s)"
printf '%s\n' "$prefix"
