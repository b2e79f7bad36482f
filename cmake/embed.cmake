# headroom_embed(TARGET SYMBOL FILE): puts a file into a library, as it is. C++ sees it as
#   extern "C" const char SYMBOL[];      // its first byte
#   extern "C" const char SYMBOL_end[];  // one past its last
# A change of the file rebuilds what contains it.
function(headroom_embed target symbol file)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.S)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
  .section .rodata
  .global @symbol@
  .global @symbol@_end
  .balign 16
@symbol@:
  .incbin "@file@"
@symbol@_end:
  .byte 0
  .section .note.GNU-stack, "", %progbits
]])
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${file})
  # Compiled on its own: the warnings of C++ do not apply to an assembler file.
  add_library(${target}_${symbol} OBJECT ${source})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${symbol}>)
endfunction()
