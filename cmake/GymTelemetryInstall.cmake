# SPDX-License-Identifier: Apache-2.0
# cmake --install: the library, its headers, and how CMake and pkg-config find them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS gym_telemetry EXPORT gym_telemetry_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/gym DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp
        PATTERN otel EXCLUDE)
install(EXPORT gym_telemetry_targets NAMESPACE gym_telemetry::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gym_telemetry)

set(config_dir ${CMAKE_CURRENT_BINARY_DIR}/package)
configure_package_config_file(cmake/gym_telemetryConfig.cmake.in
    ${config_dir}/gym_telemetryConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gym_telemetry)
write_basic_package_version_file(${config_dir}/gym_telemetryConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${config_dir}/gym_telemetryConfig.cmake ${config_dir}/gym_telemetryConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gym_telemetry)

# The bridge, asked for as a component: find_package(gym_telemetry COMPONENTS otel).
if(TARGET gym_telemetry_otel)
    install(TARGETS gym_telemetry_otel EXPORT gym_telemetry_otel_targets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(DIRECTORY include/gym/telemetry/otel
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gym/telemetry FILES_MATCHING PATTERN *.hpp)
    install(EXPORT gym_telemetry_otel_targets NAMESPACE gym_telemetry::
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gym_telemetry)
endif()

# Relative, so that the installed tree can be moved.
file(RELATIVE_PATH PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" PC_PREFIX "${PC_PREFIX}")
configure_file(cmake/gym_telemetry.pc.in ${config_dir}/gym_telemetry.pc @ONLY)
install(FILES ${config_dir}/gym_telemetry.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET gym_telemetry_otel)
    configure_file(cmake/gym_telemetry_otel.pc.in ${config_dir}/gym_telemetry_otel.pc @ONLY)
    install(FILES ${config_dir}/gym_telemetry_otel.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
if(TARGET gymtel)
    install(TARGETS gymtel RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
