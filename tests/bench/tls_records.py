"""tls_records.py CAPTURE: how many records of data there are in it, and how many bytes they have, of a
capture that make_capture made: nothing is lost or sent again in it."""
import struct, sys

with open(sys.argv[1], 'rb') as file:
    capture = file.read()
streams, records, num_bytes, at = {}, 0, 0, 24
while at < len(capture):
    length = struct.unpack_from('<I', capture, at + 8)[0]
    frame = capture[at + 16:at + 16 + length]
    at += 16 + length
    ip = 14
    tcp = ip + (frame[ip] & 15) * 4
    payload = frame[tcp + (frame[tcp + 12] >> 4) * 4:ip + struct.unpack_from('>H', frame, ip + 2)[0]]
    ports = frame[tcp:tcp + 4]
    if not payload or (ports not in streams and payload[:2] != b'\x16\x03'):
        continue
    stream = streams.get(ports, b'') + payload
    while len(stream) >= 5 and len(stream) >= (end := 5 + struct.unpack_from('>H', stream, 3)[0]):
        if stream[0] == 23:
            records += 1
            num_bytes += end - 5 - 24 # what stands around the text with GCM in TLS 1.2
        stream = stream[end:]
    streams[ports] = stream
print(records, num_bytes)
