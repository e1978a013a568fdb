import base64
import json
import re
from typing import Any, Mapping
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener


class ApiError(Exception):
    """An error reply of the service."""

    def __init__(self, status: int, body: Mapping[str, Any], retry_after: int | None) -> None:
        super().__init__(body.get("message") or body.get("error_description") or body.get("error") or f"the service answered {status}")
        self.status = status
        self.body = body
        # Seconds until another try makes sense, when the service said so.
        self.retry_after = retry_after


class _NoRedirect(HTTPRedirectHandler):
    """A token is for the service that it was given for."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Client:
    """
    The REST interface, by the names of its operations: `Client(url, token).call("listFlows")`. It waits for the reply; in asyncio, use it with
    `asyncio.to_thread`. The token is an access token, or a personal access token as `id:secret`.
    """

    def __init__(self, base_url: str, token: str | None = None, timeout: float = 30) -> None:
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._opener = build_opener(_NoRedirect)
        self._routes: dict[str, tuple[str, str]] | None = None

    def call(self, operation: str, body: Any = None, **parameters: Any) -> Any:
        """Parameters fill the path; what is left over becomes the query. Replies are JSON, files bytes."""
        method, path = self._route(operation)

        def fill(match: "re.Match[str]") -> str:
            value = str(parameters.pop(match[1], ""))
            if value in ("", ".", ".."):  # it would be the address of something else
                raise TypeError(f"{operation}: {match[1]} is required")
            return quote(value, safe="")

        filled = re.sub(r"\{(\w+)\}", fill, path)
        query = urlencode({name: value for name, value in parameters.items() if value is not None}, doseq=True)
        return self.request(method, f"{filled}?{query}" if query else filled, body)

    def request(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"accept": "application/json"}
        if self._token is not None:
            headers["authorization"] = _authorization(self._token)
        if body is not None:
            headers["content-type"] = "application/json"
        data = None if body is None else json.dumps(body).encode()
        try:
            with self._opener.open(Request(self._base_url + path, data, headers, method=method), timeout=self._timeout) as reply:
                content: bytes = reply.read()
                is_json = "json" in reply.headers.get("content-type", "")
        except HTTPError as error:
            raise _refusal(error) from None
        return json.loads(content) if content and is_json else content or None

    def _route(self, operation: str) -> tuple[str, str]:
        if self._routes is None:
            paths: dict[str, dict[str, Any]] = self.request("GET", "/docs/openapi.json")["paths"]
            self._routes = {
                one["operationId"]: (method.upper(), path)
                for path, methods in paths.items()
                for method, one in methods.items()
                if "operationId" in one
            }
        if operation not in self._routes:
            raise TypeError(f"the service has no operation {operation}")
        return self._routes[operation]


def _authorization(token: str) -> str:
    # A personal access token has a colon, which no other token has.
    return f"Basic {base64.b64encode(token.encode()).decode()}" if ":" in token else f"Bearer {token}"


def _refusal(error: HTTPError) -> ApiError:
    after = error.headers.get("retry-after", "")
    try:
        body = json.loads(error.read())
    except ValueError:
        body = {}
    return ApiError(error.code, body if isinstance(body, dict) else {}, int(after) if after.isdigit() else None)
