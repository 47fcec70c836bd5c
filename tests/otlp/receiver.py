"""A receiver of OTLP over HTTP for tests: it parses and keeps requests, and answers as it is told."""
import contextlib
import gzip
import http.server
import json
import socket
import ssl
import sys
import threading
import time

sys.dont_write_bytecode = True


class Receiver:
    """answers: functions of (handler, number of spans) that answer the next requests; after them, all
    are accepted. spans: those of accepted requests, in order. A client may have an answer before
    the thread that sent it has recorded the spans, so reading waits for that."""

    def __init__(self, answers=(), context=None, port=0, body_delay=0):
        self.answers = list(answers)
        self.taken, self.headers, self.times, self.num_spans, self.paths, self.sizes = [], [], [], [], [], []
        self.num_under_way, self.changed = 0, threading.Condition()
        self.body_delay = body_delay
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_POST(self):
                with receiver.under_way():
                    receiver.take(self)

            def do_GET(self):
                receiver.paths.append('GET ' + self.path)
                reply(self, 200, b'{}')

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(('127.0.0.1', port), Handler)
        if context is not None:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True, kwargs={'poll_interval': 0.05})
        self.thread.start()

    @contextlib.contextmanager
    def under_way(self):
        def count(num):
            with self.changed:
                self.num_under_way += num
                self.changed.notify_all()
        count(1)
        try:
            yield
        finally:
            count(-1)

    @property
    def spans(self):
        with self.changed:
            self.changed.wait_for(lambda: self.num_under_way == 0, 60)
        return self.taken

    def take(self, handler):
        time.sleep(self.body_delay)
        raw = handler.rfile.read(int(handler.headers['Content-Length']))
        if handler.headers.get('Content-Encoding') == 'gzip':
            raw = gzip.decompress(raw)
        request = json.loads(raw)
        spans = [(r['resource'], s) for r in request['resourceSpans'] for t in r['scopeSpans'] for s in t['spans']]
        self.paths.append(handler.path)
        self.headers.append(dict(handler.headers))
        self.times.append(time.monotonic())
        self.num_spans.append(len(spans))
        self.sizes.append(len(raw))
        if self.answers:
            if not self.answers.pop(0)(handler, len(spans)):
                return
        else:
            reply(handler, 200, b'{}')
        self.taken += spans

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def reply(handler, status, body=b'', headers=()):
    handler.send_response(status)
    for name, value in headers:
        handler.send_header(name, value)
    handler.send_header('Content-Type', 'application/json')
    handler.send_header('Content-Length', str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def status(number, body=b'', headers=()):
    def answer(handler, _):
        reply(handler, number, body, headers)
        return 200 <= number < 300
    return answer


def rejects(num, words):
    def answer(handler, _):
        reply(handler, 200, json.dumps({'partialSuccess': {'rejectedSpans': str(num), 'errorMessage': words}}).encode())
        return True
    return answer


def endless_body(handler, _):
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{"')
    pour(handler, b'a' * 65536)
    return True


def endless_headers(handler, _):
    handler.wfile.write(b'HTTP/1.1 503 No\r\n')
    pour(handler, b'X-A: ' + b'a' * 900 + b'\r\n')
    return False


def endless_words(handler, _):
    """Promises data again and again."""
    pour(handler, b'HTTP/1.1 100 Continue\r\n\r\n' * 100)
    return False


def no_status(handler, _):
    pour(handler, b'X' * 4096)
    return False


def pour(handler, bytes_):
    handler.close_connection = True
    try:
        for _ in range(20000):
            handler.wfile.write(bytes_)
    except OSError:
        pass


def silence(handler, _):
    """Closes without an answer."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)
    return False


def tls_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
