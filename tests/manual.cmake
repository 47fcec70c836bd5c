# The examples of the manual page.
add_test(NAME manual COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/manual $<TARGET_FILE:distsniff>
                             ${CMAKE_SOURCE_DIR}/man/distsniff.1.in ${PCAPS})
find_program(PYTHON3 python3)
# The commands of README and of the pages in docs/.
file(GLOB doc_pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md)
add_test(NAME docs COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/docs $<TARGET_FILE:distsniff> ${PCAPS}
                           ${CMAKE_SOURCE_DIR}/README.md ${doc_pages})
set_tests_properties(docs PROPERTIES TIMEOUT 600)
