"""Serves several flows on one port, each at its own path. They share a key: the `apiKey` of the flows."""

import os

from offhook import live, run


def department(name):
    return live(
        {
            "session_start": lambda event, turn: f"This is {name}.",
            "user_speak": lambda event, turn: [f"{name} will call you back. Goodbye.", {"type": "hangup"}],
        }
    )


flows = {"/": department("the reception"), "/sales": department("sales"), "/support": department("support")}
run(flows, int(os.environ.get("PORT", "3001")), key=os.environ.get("API_KEY"))
