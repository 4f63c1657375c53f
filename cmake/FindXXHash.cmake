# This file is part of cafwire. See the file LICENSE for license terms.

# Finds xxHash's header. cafwire compiles the hash into its own objects (XXH_INLINE_ALL), so there is
# no library to link and nothing that a user of the installed package would have to find again.
#
# Sets XXHash_FOUND, XXHash_INCLUDE_DIR and XXHash_VERSION.

find_path(XXHash_INCLUDE_DIR NAMES xxhash.h DOC "Folder of xxhash.h")
mark_as_advanced(XXHash_INCLUDE_DIR)

if(XXHash_INCLUDE_DIR)
  set(XXHash_VERSION "")
  foreach(_xxhash_part IN ITEMS MAJOR MINOR RELEASE)
    file(STRINGS "${XXHash_INCLUDE_DIR}/xxhash.h" _xxhash_line
      REGEX "^#[ ]*define[ ]+XXH_VERSION_${_xxhash_part}[ ]+[0-9]+" LIMIT_COUNT 1)
    string(REGEX REPLACE ".*[ ]([0-9]+).*" "\\1" _xxhash_number "${_xxhash_line}")
    list(APPEND XXHash_VERSION "${_xxhash_number}")
  endforeach()
  list(JOIN XXHash_VERSION "." XXHash_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XXHash
  REQUIRED_VARS XXHash_INCLUDE_DIR
  VERSION_VAR XXHash_VERSION
  REASON_FAILURE_MESSAGE "Install xxHash 0.8 or later (Debian: libxxhash-dev)")
