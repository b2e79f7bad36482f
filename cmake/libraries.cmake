# Libraries of others that need a word more than find_package. A shared library cannot go into the
# static program: it gets yaml-cpp's archive, and fmt's compiled part is built here. Both are used in
# the same way as elsewhere, so that the static program shares its objects with the release.
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)

add_library(headroom_yaml INTERFACE)
if(HEADROOM_STATIC)
  find_library(YAML_CPP_ARCHIVE libyaml-cpp.a REQUIRED)
  target_link_libraries(headroom_yaml INTERFACE ${YAML_CPP_ARCHIVE})
  add_library(headroom_fmt STATIC cmake/fmt_archive.cc)
  target_compile_definitions(headroom_fmt INTERFACE FMT_SHARED)
else()
  target_link_libraries(headroom_yaml INTERFACE yaml-cpp)
  add_library(headroom_fmt INTERFACE)
  target_link_libraries(headroom_fmt INTERFACE fmt::fmt)
endif()

if(HEADROOM_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
