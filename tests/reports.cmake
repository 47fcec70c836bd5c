# The numbers of --report traffic.
add_test(NAME traffic COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/traffic $<TARGET_FILE:distsniff>
                              ${PCAPS})

# Tables that are written during the capture.
add_test(NAME every COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/every $<TARGET_FILE:distsniff>
                            ${PCAPS})

# The labels of a user's own protocols, as in the manual.
add_test(NAME own_labels COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/own_labels
         $<TARGET_FILE:distsniff> ${PCAPS} ${CMAKE_SOURCE_DIR}/man/distsniff.1.in)

# Reports against the counts of another decoder.
find_program(PYTHON3 python3)
if(PYTHON3)
  set(counted otp25.pcap otp27-ops.pcap links-sll2.pcap ended-callers.pcap frag-29.pcap cats.pcap names.pcap
              elixir-1.14.pcap.gz ejabberd-23.01.pcap.gz rabbit-3.10.pcap.gz situations/hung-call.pcap.gz)
  list(TRANSFORM counted PREPEND ${PCAPS}/)
  add_test(NAME counted_anew COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/count/count.py
                                     $<TARGET_FILE:distsniff> ${counted})
  # On terminals of several widths.
  add_test(NAME widths COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/widths.py
                               $<TARGET_FILE:distsniff> ${PCAPS})
  # Text on terminals of several widths, and in pipes.
  add_test(NAME on_terminal COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/on_terminal.py
                                    $<TARGET_FILE:distsniff> ${PCAPS})
  # The first sentences, and that what lines name can be found.
  add_test(NAME traced COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/traced.py
                               $<TARGET_FILE:distsniff> ${PCAPS})
  # One thing in full, and the next commands.
  add_test(NAME explained COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/explained.py
                                  $<TARGET_FILE:distsniff> ${PCAPS})
  # And with very many of everything.
  add_test(NAME crowds COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/crowds.py
                               $<TARGET_FILE:distsniff>)
endif()

# Differences between two captures.
add_test(NAME compare COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/compare $<TARGET_FILE:distsniff> ${PCAPS}
                              $<TARGET_FILE:mangle>)
