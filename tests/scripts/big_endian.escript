#!/usr/bin/env escript
%% big_endian.escript IN OUT: a little-endian pcap file as a machine of the other byte order
%% would have written it.
main([In, Out]) ->
    {ok, <<16#a1b2c3d4:32/little, Major:16/little, Minor:16/little, Zone:32/little,
           Digits:32/little, Snap:32/little, Link:32/little, Packets/binary>>} = file:read_file(In),
    Header = <<16#a1b2c3d4:32, Major:16, Minor:16, Zone:32, Digits:32, Snap:32, Link:32>>,
    ok = file:write_file(Out, [Header | packets(Packets)]).

packets(<<>>) -> [];
packets(<<S:32/little, F:32/little, Len:32/little, Wire:32/little, Data:Len/binary, R/binary>>) ->
    [<<S:32, F:32, Len:32, Wire:32, Data/binary>> | packets(R)].
