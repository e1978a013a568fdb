"""Says what came of a call: `result` is kept with the call; `send` works beside the answer and after the end."""

import os
import re

from offhook import live, run

bot = live({"session_start": lambda event, turn: "How many stars do you give us?"})


@bot.on("user_speak")
def rate(event, turn):
    found = re.search("[1-5]", event["text"])
    turn.state["stars"] = int(found[0]) if found else 0
    turn.send({"type": "result", "outcome": "rated", "fields": turn.state})  # the latest result counts
    return ["Thank you.", {"type": "hangup"}]


@bot.on("session_end")
def end(event, turn):
    return None if "stars" in turn.state else {"type": "result", "outcome": "no answer"}


run(bot, int(os.environ.get("PORT", "3001")))
