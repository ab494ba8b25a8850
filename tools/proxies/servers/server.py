"""Reads requests as Werkzeug (WSGI) or Starlette under uvicorn (ASGI) does, and forwards what it has read."""

import http.client
import json
import sys
from urllib.parse import parse_qsl, quote, urlencode

UPSTREAM = "@UPSTREAM@"
FORWARDED = ("content-type", "x-client-application-id", "x-client-token")


def forward(method, path, pairs, headers, body):
    """Sends the meaning of a request to the deployment, in another spelling."""
    try:
        body = json.dumps(json.loads(body)).encode() if body else None
    except ValueError:
        pass
    query = urlencode(pairs, quote_via=quote)
    connection = http.client.HTTPConnection(UPSTREAM)
    kept = {name: value for name, value in headers if name.lower() in FORWARDED}
    connection.request(method, path + ("?" + query if query else ""), body, kept)
    response = connection.getresponse()
    return response.status, response.getheader("Content-Type", "text/plain"), response.read()


def serve_werkzeug(port):
    from werkzeug.serving import run_simple
    from werkzeug.wrappers import Request, Response

    @Request.application
    def answer(request):
        pairs = list(request.args.items(multi=True))
        status, media_type, body = forward(request.method, request.path, pairs, request.headers, request.get_data())
        return Response(body, status, content_type=media_type)

    run_simple("127.0.0.1", port, answer, threaded=True)


def serve_uvicorn(port):
    import asyncio

    import uvicorn

    async def answer(scope, receive, send):
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        headers = [(name.decode(), value.decode()) for name, value in scope["headers"]]
        read = (scope["method"], scope["path"], pairs, headers, body)
        status, media_type, content = await asyncio.to_thread(forward, *read)
        typed = [(b"content-type", media_type.encode()), (b"content-length", str(len(content)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": typed})
        await send({"type": "http.response.body", "body": content})

    uvicorn.run(answer, host="127.0.0.1", port=port, lifespan="off")


{"werkzeug": serve_werkzeug, "uvicorn": serve_uvicorn}[sys.argv[1]](int("@PORT@"))
