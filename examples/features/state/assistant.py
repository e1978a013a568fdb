"""Remembers what a caller has said: `state` is made once for each call."""

import os

from offhook import live, run

bot = live({"session_start": lambda event, turn: "What would you like to order?"}, state=lambda session: [])


@bot.on("user_speak")
def answer(event, turn):
    if "that is all" in event["text"].lower():
        return [f"You ordered {' and '.join(turn.state)}.", {"type": "hangup"}]
    turn.state.append(event["text"])
    return "Anything else?"


run(bot, int(os.environ.get("PORT", "3001")))
