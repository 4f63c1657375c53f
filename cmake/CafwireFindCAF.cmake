# This file is part of cafwire. See the file LICENSE for license terms.

# Finds CAF, 0.18.7 up to 1.1, in this order:
#
# 1. an installed CAF that find_package can see (CAF_DIR, CMAKE_PREFIX_PATH, the system);
# 2. a source folder or tarball given as CAFWIRE_CAF_SOURCE (CMake or environment variable), built once
#    into the cache folder of get-caf.sh;
# 3. upstream's repository with CAFWIRE_FETCH_CAF=ON (needs internet access);
# 4. Debian's source package: the copy that get-caf.sh has built before, or with CAFWIRE_GET_CAF=ON one
#    that it gets and builds now.
#
# CAF's targets (CAF::core, CAF::io) exist afterwards, and CAFWIRE_CAF_VERSION says which CAF it is.

set(CAFWIRE_CAF_SOURCE "" CACHE STRING "Source folder or tarball of CAF to use if none is installed")
option(CAFWIRE_GET_CAF "Get CAF's source from a Debian mirror if none is installed" OFF)
option(CAFWIRE_FETCH_CAF "Fetch CAF from its repository if none is installed" OFF)
mark_as_advanced(CAFWIRE_GET_CAF)

set(CAFWIRE_CAF_COMMIT 97e03500422f0ac48e35fee510d570e16b43a65e) # the commit of release 1.1.0
set(CAFWIRE_CAF_COMMIT_VERSION 1.1.0)

function(_cafwire_caf_version_is_good version result)
  if(version VERSION_GREATER_EQUAL 0.18.7 AND version VERSION_LESS 1.2)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Sets CAF_DIR to the first installed CAF of a good version. The version cannot be left to find_package:
# CAF 0.18 accepts its exact version only and CAF 1 any with the same major number. So this asks for a
# version that nobody has and then looks at what was considered.
function(_cafwire_choose_installed_caf)
  if(CAF_DIR)
    return() # somebody said which one
  endif()
  find_package(CAF 9999 EXACT CONFIG QUIET)
  unset(CAF_DIR CACHE)
  foreach(config version IN ZIP_LISTS CAF_CONSIDERED_CONFIGS CAF_CONSIDERED_VERSIONS)
    _cafwire_caf_version_is_good("${version}" is_good)
    if(is_good)
      cmake_path(GET config PARENT_PATH dir)
      set(CAF_DIR "${dir}" CACHE PATH "Folder of CAFConfig.cmake")
      return()
    endif()
    message(STATUS "cafwire: ignoring CAF ${version} (${config}): cafwire needs 0.18.7 up to 1.1")
  endforeach()
endfunction()

# Runs get-caf.sh with the arguments given and sets `result` to the folder where CAF is installed, or to
# the empty string.
function(_cafwire_run_get_caf result)
  execute_process(
    COMMAND bash "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/get-caf.sh" --cxx "${CMAKE_CXX_COMPILER}" ${ARGN}
    OUTPUT_VARIABLE output
    OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE code)
  if(code EQUAL 0)
    set(${result} "${output}" PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()

# If CAF was built with its net module, its targets name OpenSSL's, but its package does not find them.
macro(_cafwire_load_caf)
  find_package(OpenSSL QUIET)
  find_package(CAF CONFIG REQUIRED)
  set(CAFWIRE_CAF_VERSION "${CAF_VERSION}")
endmacro()

macro(_cafwire_use_built_caf prefix)
  set(CAF_DIR "${prefix}/lib/cmake/CAF" CACHE PATH "Folder of CAFConfig.cmake" FORCE)
  _cafwire_load_caf()
endmacro()

macro(_cafwire_fetch_caf)
  include(FetchContent)
  foreach(_part IN ITEMS EXAMPLES TESTING ROBOT_TESTS TOOLS OPENSSL_MODULE NET_MODULE)
    set(CAF_ENABLE_${_part} OFF CACHE BOOL "" FORCE)
  endforeach()
  FetchContent_Declare(CAF
    GIT_REPOSITORY https://github.com/actor-framework/actor-framework.git
    GIT_TAG ${CAFWIRE_CAF_COMMIT})
  message(STATUS "cafwire: fetching CAF ${CAFWIRE_CAF_COMMIT_VERSION}")
  FetchContent_MakeAvailable(CAF)
  set(CAFWIRE_CAF_VERSION ${CAFWIRE_CAF_COMMIT_VERSION})
  # CAF's headers must not be judged by the warnings of this project.
  foreach(_module IN ITEMS core io)
    get_target_property(_dirs libcaf_${_module} INTERFACE_INCLUDE_DIRECTORIES)
    set_target_properties(libcaf_${_module} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_dirs}")
  endforeach()
endmacro()

# -- the order of the four ways ------------------------------------------------

set(_cafwire_source "${CAFWIRE_CAF_SOURCE}")
if(NOT _cafwire_source)
  set(_cafwire_source "$ENV{CAFWIRE_CAF_SOURCE}")
endif()

if(TARGET CAF::core)
  # The project that contains cafwire has brought CAF along already.
  set(CAFWIRE_CAF_VERSION "${CAF_VERSION}")
else()
  _cafwire_choose_installed_caf()
  if(CAF_DIR)
    _cafwire_load_caf()
  elseif(_cafwire_source)
    _cafwire_run_get_caf(_cafwire_prefix --source "${_cafwire_source}")
    if(NOT _cafwire_prefix)
      message(FATAL_ERROR
        "cafwire: CAFWIRE_CAF_SOURCE=${_cafwire_source} could not be built, see above.")
    endif()
    _cafwire_use_built_caf("${_cafwire_prefix}")
  elseif(CAFWIRE_FETCH_CAF)
    _cafwire_fetch_caf()
  else()
    if(CAFWIRE_GET_CAF)
      _cafwire_run_get_caf(_cafwire_prefix)
    else()
      _cafwire_run_get_caf(_cafwire_prefix --cached)
    endif()
    if(NOT _cafwire_prefix)
      message(FATAL_ERROR
        "cafwire needs CAF (the C++ Actor Framework), 0.18.7 up to 1.1, and found none. Four ways out:\n"
        "  1. Install CAF and say where it is: -DCMAKE_PREFIX_PATH=<prefix of CAF>.\n"
        "  2. Give its source, a folder or a tarball: -DCAFWIRE_CAF_SOURCE=<path>.\n"
        "  3. On Debian: run ./dev test, or cmake/get-caf.sh, which builds CAF 0.18.7 from Debian's "
        "source package once; then configure again.\n"
        "  4. With internet access: -DCAFWIRE_FETCH_CAF=ON fetches CAF "
        "${CAFWIRE_CAF_COMMIT_VERSION}.\n")
    endif()
    _cafwire_use_built_caf("${_cafwire_prefix}")
  endif()
endif()

if(CAFWIRE_CAF_VERSION)
  _cafwire_caf_version_is_good("${CAFWIRE_CAF_VERSION}" _cafwire_good)
  if(NOT _cafwire_good)
    message(FATAL_ERROR
      "cafwire needs CAF 0.18.7 up to 1.1, but CAF_DIR=${CAF_DIR} is CAF ${CAFWIRE_CAF_VERSION}. "
      "Point CAF_DIR or CMAKE_PREFIX_PATH to another one.")
  endif()
endif()
message(STATUS "cafwire: using CAF ${CAFWIRE_CAF_VERSION} ${CAF_DIR}")
