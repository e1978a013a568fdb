"""Uses a tool: says that it takes a moment, looks something up, and notes it in the timeline of the call."""

import os

from offhook import live, run

stock = {"soup": 3, "pie": 0}
bot = live({"session_start": lambda event, turn: "Which dish would you like?"})


async def look_up(turn, dish):
    result = f"{stock.get(dish, 0)} left"
    turn.send({"type": "note", "name": "tool", "data": {"name": "look_up", "arguments": {"dish": dish}, "status": "ok", "result": result}})
    return result


@bot.on("user_speak")
async def answer(event, turn):
    yield "One moment. "
    yield {"flush": True}  # sounds while the tool runs
    dish = next((one for one in stock if one in event["text"]), "")
    yield f"There are {await look_up(turn, dish)}."


run(bot, int(os.environ.get("PORT", "3001")))
