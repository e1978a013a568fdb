"""Takes keys: the flow needs `extended_events: ["dtmf_received"]` (`offhook dev --events`)."""

import os

from offhook import live, run

menu = "Press one for our hours, or nine to hang up."
bot = live({"session_start": lambda event, turn: menu, "user_speak": lambda event, turn: menu})


@bot.on("dtmf_received")
def key(event, turn):
    if event["digit"] == "1":
        return "We are open from nine to five."
    return ["Goodbye!", {"type": "hangup"}] if event["digit"] == "9" else menu


run(bot, int(os.environ.get("PORT", "3001")))
