# The same capture in another form: the messages must be the same (all), or, if packets are missing
# or truncated, no others (some). mangle.c and Wireshark's editcap and mergecap make them.
function(variant capture mode)
  string(REPLACE ";" "-" name "${mode}")
  add_test(NAME variant_${capture}_${name}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/variant $<TARGET_FILE:distsniff>
                   $<TARGET_FILE:mangle> ${ERL_DIR} ${PCAPS}/${capture} ${mode})
endfunction()

foreach(mode reorder duplicate overlap resegment wrap vlan qinq ipfrag ipv6 gre vxlan geneve erspan2
        erspan3 sll null raw pcapng nanosecond big-endian gz zst stdin split)
  variant(otp27-ops.pcap ${mode})
endforeach()
foreach(mode reorder overlap resegment wrap ipfrag)
  variant(frag-29.pcap ${mode})
  variant(cnode.pcap ${mode})
endforeach()
foreach(capture tls12-25 tls-29)
  foreach(mode reorder duplicate overlap resegment wrap ipfrag pcapng stdin "shuffle;4"
          "drop;3" "drop;7" "drop;50" "snap;200")
    variant(${capture}.pcap "${mode}")
  endforeach()
endforeach()
variant(tls-29.pcap "late;50") # nothing of TLS 1.2 is left then
foreach(mode reorder resegment "shuffle;4" "drop;7" "drop;20")
  variant(tls12-renewed-25.pcap "${mode}")
  variant(tls-renewed-29.pcap "${mode}")
endforeach()
foreach(mode "late;60" "late;90")
  variant(tls-renewed-29.pcap "${mode}")
endforeach()
foreach(capture otp27-ops otp29-ops frag-29 cnode otp25)
  variant(${capture}.pcap "shuffle;4")
  variant(${capture}.pcap "shuffle;16")
endforeach()
foreach(capture otp27-ops otp29-ops frag-29)
  foreach(mode "drop;3" "drop;7" "drop;50" "snap;200" "snap;1000" "late;100" "late;600")
    variant(${capture}.pcap "${mode}")
  endforeach()
endforeach()
foreach(mode "drop;3" "drop;7" "snap;200" "late;100")
  variant(cnode.pcap "${mode}")
endforeach()

# Packets of packet servers.
add_test(NAME tcp_source COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/tcp_source.py
                                 $<TARGET_FILE:distsniff> ${PCAPS})
mostly_waits(tcp_source)
# Tunnels that mangle.c writes byte by byte: tshark sees the same tunnels, and the same segments in
# them.
add_test(NAME tunnels
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/tunnels $<TARGET_FILE:mangle> ${PCAPS}/two-point-a.pcap)
