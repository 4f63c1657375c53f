# This file is part of cafwire. See the file LICENSE for license terms.

# Tests that code which cafwire must refuse does not compile, and that the compiler's message says why.
# Each `*.cpp` in the folder is compiled twice, without an object file: as it is, which must work, and
# with -DCAFWIRE_MUST_FAIL, which must fail with output that matches the regular expression in the
# file's line `// expect: REGEX`.

set(_cafwire_compile_fail_script "${CMAKE_CURRENT_LIST_DIR}/compile-fail.cmake")

function(cafwire_add_compile_fail_tests dir)
  file(GLOB sources CONFIGURE_DEPENDS "${dir}/*.cpp")
  set(includes "$<TARGET_PROPERTY:cafwire,INTERFACE_INCLUDE_DIRECTORIES>")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_test(NAME compile_fail.${name}
      COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${source}" -P "${_cafwire_compile_fail_script}" --
        "${CMAKE_CXX_COMPILER}" "-I$<JOIN:${includes},;-I>" ${CMAKE_CXX20_STANDARD_COMPILE_OPTION}
        -fsyntax-only
      COMMAND_EXPAND_LISTS)
    set_tests_properties(compile_fail.${name} PROPERTIES TIMEOUT 120 LABELS compile_fail)
  endforeach()
endfunction()
