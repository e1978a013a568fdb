import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from unittest import TestCase

from offhook import ApiError, Client

openapi = {
    "paths": {
        "/v1/numbers/{id}": {"get": {"operationId": "getNumber"}, "put": {"operationId": "putNumber"}},
        "/moved": {"get": {"operationId": "getMoved"}},
        "/busy": {"get": {"operationId": "getBusy"}},
    }
}


class Service(BaseHTTPRequestHandler):
    seen: list[tuple[str, str, str, str]] = []

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        self.seen.append((self.command, self.path, self.headers.get("authorization") or "", body))
        if self.path == "/docs/openapi.json":
            self.reply(200, openapi)
        elif self.path == "/moved":
            self.reply(302, {}, location="/v1/numbers/1")
        elif self.path == "/busy":
            self.reply(429, {"message": "Too many.", "code": "too_many_requests"}, **{"retry-after": "7"})
        elif self.command == "PUT":
            self.send_response(204)
            self.end_headers()
        else:
            self.reply(200, {"id": 1})

    do_PUT = do_GET

    def reply(self, status: int, body: object, **headers: str) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


class Calling(TestCase):
    def setUp(self) -> None:
        Service.seen.clear()
        server = HTTPServer(("127.0.0.1", 0), Service)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)  # the last one first
        self.url = f"http://127.0.0.1:{server.server_port}/"

    def test_operations_are_called_by_their_names(self) -> None:
        client = Client(self.url, "id:secret")
        self.assertEqual(client.call("getNumber", id="a/b", limit=3, types=["x", "y"], none=None), {"id": 1})
        self.assertIsNone(client.call("putNumber", {"name": "Büro"}, id=1))
        basic = "Basic aWQ6c2VjcmV0"
        self.assertEqual(
            Service.seen[1:],
            [
                ("GET", "/v1/numbers/a%2Fb?limit=3&types=x&types=y", basic, ""),
                ("PUT", "/v1/numbers/1", basic, json.dumps({"name": "Büro"})),
            ],
        )
        Client(self.url, "token").request("GET", "/busy2")
        self.assertEqual(Service.seen[-1][2], "Bearer token")

    def test_what_cannot_be_called_is_not_asked_for(self) -> None:
        client = Client(self.url)
        for id in ("", ".."):
            with self.assertRaisesRegex(TypeError, "getNumber: id is required"):
                client.call("getNumber", id=id)
        with self.assertRaisesRegex(TypeError, "no operation getNumbr"):
            client.call("getNumbr")

    def test_refusals_are_exceptions_and_redirects_are_not_followed(self) -> None:
        client = Client(self.url)
        with self.assertRaises(ApiError) as busy:
            client.call("getBusy")
        self.assertEqual((busy.exception.status, busy.exception.retry_after, str(busy.exception)), (429, 7, "Too many."))
        self.assertEqual(busy.exception.body["code"], "too_many_requests")
        with self.assertRaises(ApiError) as moved:
            client.call("getMoved")
        self.assertEqual(moved.exception.status, 302)
