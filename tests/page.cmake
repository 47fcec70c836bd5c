# The page of -T html, in a browser.
if(DISTSNIFF_PAGE)
  find_program(PYTHON3 python3)
  add_test(NAME page COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/page/check.py $<TARGET_FILE:distsniff> ${PCAPS}
                             erl -noinput +fnu -pa ${ERL_DIR} -run leaks main none all ${PCAPS}/secrets.list)
  add_test(NAME page_situations COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/page/situations.py $<TARGET_FILE:distsniff> ${PCAPS})
  add_test(NAME page_reach COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/page/reach.py $<TARGET_FILE:distsniff> ${PCAPS})
  set_tests_properties(page page_situations page_reach PROPERTIES SKIP_RETURN_CODE 77)
  if(DISTSNIFF_WEB)
    add_test(NAME web COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/page/web.py $<TARGET_FILE:distsniff> ${PCAPS})
    add_test(NAME live_web COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/live/web $<TARGET_FILE:distsniff>)
    add_test(NAME web_proxy COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/page/proxy $<TARGET_FILE:distsniff> ${PCAPS}
                                    ${PROJECT_SOURCE_DIR}/packaging/nginx/distsniff-page.conf)
    set_tests_properties(web live_web web_proxy PROPERTIES SKIP_RETURN_CODE 77)
    mostly_waits(web)
  endif()
endif()
