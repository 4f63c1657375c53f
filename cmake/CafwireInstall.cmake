# This file is part of cafwire. See the file LICENSE for license terms.

# The CMake package `cafwire` (installed, and in the build tree), and the pkg-config files.

set(_cafwire_targets cafwire)
set(_cafwire_roots lib)
set(cafwire_has_actors FALSE)
if(TARGET cafwire_actors)
  set(cafwire_has_actors TRUE)
  list(APPEND _cafwire_targets cafwire_actors)
  list(APPEND _cafwire_roots actors)
endif()

if(NOT CAFWIRE_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)
set(_cafwire_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cafwire")

install(TARGETS ${_cafwire_targets}
  EXPORT cafwireTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
foreach(_root IN LISTS _cafwire_roots)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${_root}/cafwire"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.hpp" PATTERN internal EXCLUDE)
endforeach()

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/cafwireConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/cafwireConfig.cmake"
  INSTALL_DESTINATION "${_cafwire_package_dir}")
# Before 1.0 every minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cafwireConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/cafwireConfig.cmake" "${PROJECT_BINARY_DIR}/cafwireConfigVersion.cmake"
  DESTINATION "${_cafwire_package_dir}")
install(EXPORT cafwireTargets NAMESPACE cafwire:: DESTINATION "${_cafwire_package_dir}")
export(EXPORT cafwireTargets NAMESPACE cafwire:: FILE "${PROJECT_BINARY_DIR}/cafwireTargets.cmake")

# CAF has no pkg-config files, so ours name its folders. The `.pc` files find cafwire's own folders
# from where they are.
get_target_property(_caf_include CAF::core INTERFACE_INCLUDE_DIRECTORIES)
if(CAF_DIR AND _caf_include)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
    OUTPUT_VARIABLE _libdir)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
    OUTPUT_VARIABLE _includedir)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
    BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE _prefix_from_pc)
  list(TRANSFORM _caf_include PREPEND "-isystem" OUTPUT_VARIABLE _caf_cflags)
  list(JOIN _caf_cflags " " CAFWIRE_PC_CAF_CFLAGS)
  cmake_path(SET _caf_libdir NORMALIZE "${CAF_DIR}/../..")
  set(CAFWIRE_PC_CAF_LIBDIR "${_caf_libdir}")
  set(CAFWIRE_PC_PREFIX "\${pcfiledir}/${_prefix_from_pc}")
  set(CAFWIRE_PC_LIBDIR "\${prefix}/${_libdir}")
  set(CAFWIRE_PC_INCLUDEDIR "\${prefix}/${_includedir}")
  foreach(_target IN LISTS _cafwire_targets)
    string(REPLACE _ - _name ${_target})
    configure_file("${CMAKE_CURRENT_LIST_DIR}/${_name}.pc.in" "${PROJECT_BINARY_DIR}/${_name}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${_name}.pc"
      DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  endforeach()
endif()
