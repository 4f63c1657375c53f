# This file is part of cafwire. See the file LICENSE for license terms.

# Run by ctest: cmake -DSOURCE=<file> -P compile-fail.cmake -- <compiler> <flags...>
# What it checks is said in CafwireCompileFail.cmake.

set(command "")
set(is_command FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(is_command)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(is_command TRUE)
  endif()
endforeach()

file(STRINGS "${SOURCE}" expect REGEX "^// expect: " LIMIT_COUNT 1)
string(REGEX REPLACE "^// expect: " "" expect "${expect}")
if(expect STREQUAL "")
  message(FATAL_ERROR "${SOURCE} has no line '// expect: REGEX'")
endif()

execute_process(COMMAND ${command} "${SOURCE}"
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "must compile without CAFWIRE_MUST_FAIL, but does not:\n${output}")
endif()

execute_process(COMMAND ${command} -DCAFWIRE_MUST_FAIL "${SOURCE}"
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
if(code EQUAL 0)
  message(FATAL_ERROR "must not compile with CAFWIRE_MUST_FAIL, but does")
endif()
if(NOT output MATCHES "${expect}")
  message(FATAL_ERROR "fails as it should, but the output does not match '${expect}':\n${output}")
endif()
message("fails as it should, with a message that matches '${expect}'")
