# This file is part of cafwire. See the file LICENSE for license terms.
# shellcheck shell=bash

# What the commands of `dev` need or want on the machine, how to see whether it is there, and how to install it
# with apt. Uses `run_step`, `die` and `root` of dev.

# A need is a name; these tell the package of Debian that meets it, and what to ask another system for.
declare -A package_of=(
  [compiler]=g++ [cmake]=cmake [ninja]=ninja-build [pkg-config]=pkg-config [python]=python3
  [xxhash]=libxxhash-dev [openssl]=libssl-dev [catch2]=catch2 [benchmark]=libbenchmark-dev
  [clang-format]=clang-format-14 [json]=nlohmann-json3-dev [cli11]=libcli11-dev
  [cereal]=libcereal-dev [boost]=libboost-serialization-dev [msgpack]=libmsgpack-cxx-dev
  [protobuf]=libprotobuf-dev [protoc]=protobuf-compiler
  [flatbuffers]=libflatbuffers-dev [flatc]=flatbuffers-compiler
  [capnproto]=libcapnp-dev [capnp]=capnproto
)
declare -A text_of=(
  [compiler]="a C++20 compiler: g++ 12 or later, or clang 14 or later (set CXX to choose)"
  [cmake]="CMake 3.21 or later" [ninja]="Ninja 1.10 or later" [pkg-config]="pkg-config (any version)"
  [python]="Python 3.9 or later" [xxhash]="the header of xxHash 0.8.0 or later"
  [openssl]="the headers and libcrypto of OpenSSL 1.1.1 or later"
  [catch2]="Catch2 3 (3.0 or later)" [benchmark]="Google Benchmark 1.7 or later"
  [clang-format]="clang-format 14 (another version formats differently)"
  [json]="nlohmann-json 3" [cli11]="CLI11 2.1 or later"
)

# Prints the command that runs clang-format 14; fails if there is none.
find_clang_format() {
  local command
  for command in clang-format-14 clang-format; do
    if [[ $("$command" --version 2>/dev/null) == *" version 14."* ]]; then
      echo "$command"
      return 0
    fi
  done
  return 1
}

# Prints those of the needs given that are not met. One run of the preprocessor looks for all headers.
missing_needs() {
  local cxx=${CXX:-c++} need probe='' includes=() prefix
  # CMake's own rule: the environment variable is a list of the platform.
  local IFS=:
  for prefix in ${CMAKE_PREFIX_PATH:-}; do
    includes+=("-I$prefix/include")
  done
  unset IFS
  for need in "$@"; do
    case $need in
      compiler)
        if ! command -v "$cxx" >/dev/null; then
          echo compiler
        else
          probe+=$'#if defined(__clang__) ? __clang_major__ < 14 : __GNUC__ < 12\ncompiler\n#endif\n'
        fi
        ;;
      xxhash) probe+=$'#if !__has_include(<xxhash.h>)\nxxhash\n#endif\n' ;;
      openssl) probe+=$'#if !__has_include(<openssl/hmac.h>)\nopenssl\n#endif\n' ;;
      cereal) probe+=$'#if !__has_include(<cereal/cereal.hpp>)\ncereal\n#endif\n' ;;
      boost) probe+=$'#if !__has_include(<boost/archive/binary_oarchive.hpp>)\nboost\n#endif\n' ;;
      msgpack) probe+=$'#if !__has_include(<msgpack.hpp>)\nmsgpack\n#endif\n' ;;
      protobuf) probe+=$'#if !__has_include(<google/protobuf/message.h>)\nprotobuf\n#endif\n' ;;
      flatbuffers) probe+=$'#if !__has_include(<flatbuffers/flatbuffers.h>)\nflatbuffers\n#endif\n' ;;
      capnproto) probe+=$'#if !__has_include(<capnp/message.h>)\ncapnproto\n#endif\n' ;;
      catch2) probe+=$'#if !__has_include(<catch2/catch_all.hpp>)\ncatch2\n#endif\n' ;;
      benchmark) probe+=$'#if !__has_include(<benchmark/benchmark.h>)\nbenchmark\n#endif\n' ;;
      json) probe+=$'#if !__has_include(<nlohmann/json.hpp>)\njson\n#endif\n' ;;
      cli11) probe+=$'#if !__has_include(<CLI/CLI.hpp>)\ncli11\n#endif\n' ;;
      clang-format) find_clang_format >/dev/null || echo clang-format ;;
      python) command -v python3 >/dev/null || echo python ;;
      *) command -v "$need" >/dev/null || echo "$need" ;;
    esac
  done
  if command -v "$cxx" >/dev/null; then
    "$cxx" -x c++ "${includes[@]}" -E -P - <<<"$probe" 2>/dev/null | grep -v '^$' || true
  else
    # Without a compiler nobody can tell; installing what is there already does no harm.
    for need in "$@"; do
      [[ $need == @(xxhash|openssl|catch2|benchmark|json|cli11) ]] && echo "$need"
    done
  fi
  return 0
}

# Debian 12 has Catch2 2 only; its backports have Catch2 3.
install_catch2_from_backports() {
  local folder codename status=0
  folder=$(mktemp -d)
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  # shellcheck source=cmake/private-apt.sh
  source cmake/private-apt.sh
  private_apt_as=("${root[@]}")
  private_apt_init "$folder" "deb $codename main" "deb $codename-backports main" \
    && private_apt install --yes --no-install-recommends --target-release "$codename-backports" catch2 \
    || status=$?
  "${root[@]}" rm -rf "$folder"
  return $status
}

# Installs the packages for the needs given.
install_with_apt() {
  local need packages=() backports=no candidate
  run_step "Reading the package lists" apt-update \
    "Is the network up? Try: ${root[*]} apt-get update" \
    "${root[@]}" apt-get -o DPkg::Lock::Timeout=300 update
  for need in "$@"; do
    candidate=$(apt-cache policy "${package_of[$need]}" | sed -n 's/^ *Candidate: //p')
    if [[ $need == catch2 ]] && ! dpkg --compare-versions "${candidate:-0}" ge 3; then
      backports=yes
    else
      packages+=("${package_of[$need]}")
    fi
  done
  if ((${#packages[@]})); then
    run_step "Installing ${packages[*]}" apt-install \
      "Try: ${root[*]} apt-get install ${packages[*]}" \
      "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
      install --yes --no-install-recommends "${packages[@]}"
  fi
  if [[ $backports == yes ]]; then
    run_step "Installing catch2 from Debian's backports" apt-catch2 \
      "Install Catch2 3 in another way (its CMake package must be found), then call dev again." \
      install_catch2_from_backports
  fi
}

# Makes sure that all needs given are met, or ends with a list of what is missing.
need() {
  local missing
  if [[ -n ${CXX:-} ]] && ! command -v "$CXX" >/dev/null; then
    die "CXX=$CXX names no program." "Correct CXX, or unset it to use the compiler c++."
  fi
  mapfile -t missing < <(missing_needs "$@")
  ((${#missing[@]})) || return 0
  local lines=() name reason
  if ! command -v apt-get >/dev/null; then
    reason="there is no apt on this machine to install them with"
  elif ((EUID)) && ! ((${#root[@]})); then
    reason="only root can install them, and there is no sudo"
  else
    install_with_apt "${missing[@]}"
    mapfile -t missing < <(missing_needs "$@")
    ((${#missing[@]})) || return 0
    reason="apt's packages do not meet the need"
  fi
  for name in "${missing[@]}"; do
    lines+=("- ${text_of[$name]} (Debian's package: ${package_of[$name]})")
  done
  die "This is missing, and $reason:" "${lines[@]}" "Install it, then call dev again."
}

# Installs what is missing of needs that are only wanted; whatever stays missing is no error.
want() {
  local missing
  mapfile -t missing < <(missing_needs "$@")
  ((${#missing[@]})) || return 0
  if command -v apt-get >/dev/null && { ((EUID == 0)) || ((${#root[@]})); }; then
    # In a subshell: a step that fails ends its shell.
    (install_with_apt "${missing[@]}") || true
    mapfile -t missing < <(missing_needs "$@")
  fi
  ((${#missing[@]} == 0)) || printf '    going on without: %s\n' "${missing[*]}"
}
