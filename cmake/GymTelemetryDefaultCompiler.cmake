# SPDX-License-Identifier: Apache-2.0
# Before project(): g++-14, which `./dev setup` installs, where nobody chose a compiler. Debian 12's
# own is older, and a Debian 13 without build-essential has no `c++` at all. scikit-build puts the name
# of the compiler that Python was built with into CXX, which is nobody's choice either.
set(chosen "$ENV{CXX}")
if(SKBUILD AND chosen MATCHES "^([a-z0-9_]+-linux-gnu-)?g[+][+]$")
    set(chosen "")
endif()
if(NOT chosen AND NOT CMAKE_CXX_COMPILER AND NOT CMAKE_TOOLCHAIN_FILE
   AND CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    find_program(GYM_TELEMETRY_GXX g++-14)
    find_program(GYM_TELEMETRY_GCC gcc-14)
    if(GYM_TELEMETRY_GXX AND GYM_TELEMETRY_GCC)
        set(CMAKE_CXX_COMPILER "${GYM_TELEMETRY_GXX}")
        set(CMAKE_C_COMPILER "${GYM_TELEMETRY_GCC}")
    endif()
endif()
