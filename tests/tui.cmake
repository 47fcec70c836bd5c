# --tui in tmux and on Python's terminals: the screens, and the state of the terminal.
if(DISTSNIFF_TUI)
  add_test(NAME tui_screens COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tui/screens $<TARGET_FILE:distsniff> ${PCAPS})
  add_test(NAME tui_terminal COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/tui/terminal.py $<TARGET_FILE:distsniff> ${PCAPS})
  add_test(NAME live_tui COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/tui $<TARGET_FILE:distsniff>)
  set_tests_properties(tui_screens tui_terminal live_tui PROPERTIES SKIP_RETURN_CODE 77)
endif()
