"""Answers over a webhook instead of a WebSocket: one request for each event, signed with the secret of the flow."""

import asyncio
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from offhook import assistant

bot = assistant(secret=os.environ.get("WEBHOOK_SECRET"))  # without it, any request to this port is accepted


@bot.on("session_start")
def greet(event, turn):
    return "Hello! What can I do for you?"


@bot.on("user_speak")
def answer(event, turn):
    return ["Goodbye!", {"type": "hangup"}] if "bye" in event["text"].lower() else f"You said: {event['text']}"


class Webhook(BaseHTTPRequestHandler):
    """Any framework does: it hands over the body as it came, and the headers."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        status, text, content_type = asyncio.run(bot.answer(body, self.headers))
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Webhook)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
