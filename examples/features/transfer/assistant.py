"""Hands the caller to a person, who hears a briefing first. The flow names the allowed targets: `transfer_targets`."""

import os

from offhook import live, run

bot = live({"session_start": lambda event, turn: "Reception. Whom would you like to talk to?"})


@bot.on("user_speak")
def transfer(event, turn):
    briefing = f"A caller says: {event['text']}"
    return ["One moment, please.", {"type": "transfer", "target": "p0", "mode": "warm", "briefing": briefing}]  # or blind


@bot.on("transfer_failed")
def failed(event, turn):
    return ["Nobody answers. Please call again later.", {"type": "hangup"}]


run(bot, int(os.environ.get("PORT", "3001")))
