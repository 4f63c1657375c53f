# This file is part of cafwire. See the file LICENSE for license terms.

# Target `headers`: every header of lib/ and actors/ compiles alone, in a source file of its own that
# includes it twice (so a missing `#pragma once` is found too).

add_library(headers OBJECT EXCLUDE_FROM_ALL)
target_link_libraries(headers PRIVATE cafwire::cafwire)
cafwire_apply_build_options(headers)

set(_cafwire_header_roots lib)
if(TARGET cafwire::actors)
  list(APPEND _cafwire_header_roots actors)
  target_link_libraries(headers PRIVATE cafwire::actors)
endif()

foreach(_root IN LISTS _cafwire_header_roots)
  file(GLOB_RECURSE _headers CONFIGURE_DEPENDS
    RELATIVE "${PROJECT_SOURCE_DIR}/${_root}" "${PROJECT_SOURCE_DIR}/${_root}/cafwire/*.hpp")
  foreach(_header IN LISTS _headers)
    string(MAKE_C_IDENTIFIER "${_header}" _id)
    set(_source "${PROJECT_BINARY_DIR}/headers/${_id}.cpp")
    file(CONFIGURE OUTPUT "${_source}" CONTENT "#include <${_header}>\n#include <${_header}>\n")
    target_sources(headers PRIVATE "${_source}")
  endforeach()
endforeach()
