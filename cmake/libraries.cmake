# Libraries of others that need a word more than find_package. A shared library cannot go into the
# static program: fmt is then used from its headers, yaml-cpp from its archive.
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)

add_library(headroom_fmt INTERFACE)
add_library(headroom_yaml INTERFACE)
if(HEADROOM_STATIC)
  find_library(YAML_CPP_ARCHIVE libyaml-cpp.a REQUIRED)
  target_link_libraries(headroom_fmt INTERFACE fmt::fmt-header-only)
  target_link_libraries(headroom_yaml INTERFACE ${YAML_CPP_ARCHIVE})
else()
  target_link_libraries(headroom_fmt INTERFACE fmt::fmt)
  target_link_libraries(headroom_yaml INTERFACE yaml-cpp)
endif()

if(HEADROOM_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
