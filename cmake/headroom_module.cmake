# headroom_module(NAME DEPENDS folder... LIBRARIES target... [EXCLUDE regex])
#
# One folder of src/ = one library `headroom_NAME` = one namespace. DEPENDS are the folders whose
# headers it may include: they are reachable only through these targets, because every folder's
# headers are staged under its own include root (build/include/NAME/NAME -> src/NAME). Folders within
# the folder belong to the same library.
function(headroom_module name)
  cmake_parse_arguments(ARG "" "EXCLUDE" "DEPENDS;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc
       ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/main\\.cc$")
  if(ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${ARG_EXCLUDE}")
  endif()

  set(root ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${root})
  if(NOT EXISTS ${root}/${name})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)
  endif()

  if(sources)
    add_library(headroom_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_compile_options(headroom_${name} PRIVATE ${HEADROOM_WARNINGS})
    target_link_libraries(headroom_${name} PRIVATE ${ARG_PRIVATE_LIBRARIES})
  else()
    add_library(headroom_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(headroom_${name} ${scope} ${root})
  foreach(folder IN LISTS ARG_DEPENDS)
    target_link_libraries(headroom_${name} ${scope} headroom_${folder})
  endforeach()
  target_link_libraries(headroom_${name} ${scope} ${ARG_LIBRARIES})

  if(HEADROOM_TESTS)
    file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc
         ${CMAKE_CURRENT_SOURCE_DIR}/*/*_test.cc)
    if(tests)
      headroom_test(${name} ${tests})
      target_link_libraries(${name}_test PRIVATE headroom_${name} ${ARG_PRIVATE_LIBRARIES})
    endif()
  endif()
endfunction()

# headroom_test(NAME file...): one GoogleTest program `NAME_test`. All of them share one precompiled
# header, which is why they all have the same options and definitions.
function(headroom_test_options target)
  target_compile_options(${target} PRIVATE ${HEADROOM_WARNINGS})
  target_compile_definitions(${target} PRIVATE HEADROOM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE GTest::gtest)
endfunction()

if(HEADROOM_TESTS)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test_headers.cc CONTENT "")
  add_library(headroom_test_headers OBJECT ${CMAKE_BINARY_DIR}/test_headers.cc)
  headroom_test_options(headroom_test_headers)
  target_precompile_headers(headroom_test_headers PRIVATE <gtest/gtest.h> <algorithm> <map> <string>
                                                          <vector>)
endif()

function(headroom_test name)
  add_executable(${name}_test ${ARGN})
  headroom_test_options(${name}_test)
  target_link_libraries(${name}_test PRIVATE GTest::gtest_main rapidcheck rapidcheck_gtest)
  target_precompile_headers(${name}_test REUSE_FROM headroom_test_headers)
  add_test(NAME ${name} COMMAND ${name}_test)
endfunction()
