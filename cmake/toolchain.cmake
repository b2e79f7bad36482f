# Language, warnings, caches and sanitizers: the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# One build directory's objects serve another with the same options (release and test), wherever the
# tree is; precompiled headers are cached too.
find_program(CCACHE ccache)
if(CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
               CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
               ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()
find_program(MOLD mold)
if(MOLD AND NOT HEADROOM_STATIC)
  add_link_options(-fuse-ld=mold)
endif()

# Scores must not depend on the optimisation level or the machine: no contraction to fused
# multiply-add, no -march=native, no fast-math. Asserts are our own and stay on in release.
add_compile_options(-ffp-contract=off -fno-omit-frame-pointer)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")  # the sanitizers'; quicker to compile

if(HEADROOM_SANITIZE)
  add_compile_options(-fsanitize=${HEADROOM_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HEADROOM_SANITIZE})
  if(HEADROOM_SANITIZE MATCHES "undefined")
    # Checks of each pointer use: the address sanitizer sees what goes wrong, at half the build time.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()
if(HEADROOM_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(HEADROOM_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
if(HEADROOM_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  add_link_options(-static)
endif()

set(HEADROOM_WARNINGS
    -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wshadow -Wconversion
    -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Wrong about std::string at -O2 in GCC 12 (its bugs 105329, 105651); the address sanitizer looks.
  list(APPEND HEADROOM_WARNINGS -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
else()
  # Clang sees a deprecated function inside libstdc++ 12's std::stable_sort.
  list(APPEND HEADROOM_WARNINGS -Wno-deprecated-declarations)
endif()
