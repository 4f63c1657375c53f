# This file is part of cafwire. See the file LICENSE for license terms.

# Warnings and sanitizers for the project's own targets. They live in one interface target that is
# never exported, so that nobody who links cafwire inherits them.

option(CAFWIRE_WERROR "Treat compiler warnings as errors (the presets for developers do)" OFF)
set(CAFWIRE_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. 'address,undefined'")

add_library(cafwire_build_options INTERFACE)

if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(cafwire_build_options INTERFACE
    -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align
    -Wimplicit-fallthrough)
  # CAF's type-id macros count on empty variadic arguments, and clang says so under -Wpedantic.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(cafwire_build_options INTERFACE
      -Wshadow -Wno-gnu-zero-variadic-macro-arguments)
  endif()
  # GCC 12 reports false positives for inlined containers and strings of the standard library, from -O1
  # on; its plain -Wshadow also objects to a variable that is called like some type far away.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(cafwire_build_options INTERFACE
      -Wshadow=local -Wno-maybe-uninitialized -Wno-restrict)
  endif()
  if(CAFWIRE_WERROR)
    target_compile_options(cafwire_build_options INTERFACE -Werror)
    # The tests have types whose constructors leave members uninitialized on purpose, and GCC reports
    # them inside the functions that create such objects.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(cafwire_build_options INTERFACE -Wno-error=uninitialized)
    endif()
  endif()
endif()

if(CAFWIRE_SANITIZE)
  set(_cafwire_sanitize -fsanitize=${CAFWIRE_SANITIZE})
  target_compile_options(cafwire_build_options INTERFACE
    ${_cafwire_sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(cafwire_build_options INTERFACE ${_cafwire_sanitize})
endif()

# Applies the options above to `target`. Not by linking: a private dependency of a static library
# would still appear in the exported package.
function(cafwire_apply_build_options target)
  target_compile_options(${target} PRIVATE
    $<TARGET_PROPERTY:cafwire_build_options,INTERFACE_COMPILE_OPTIONS>)
  target_link_options(${target} PRIVATE
    $<TARGET_PROPERTY:cafwire_build_options,INTERFACE_LINK_OPTIONS>)
  get_target_property(type ${target} TYPE)
  if(CAFWIRE_SANITIZE MATCHES "address" AND type STREQUAL "EXECUTABLE")
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/lsan_suppressions.cpp")
  endif()
endfunction()
