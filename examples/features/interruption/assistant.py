"""Is interrupted: the handler is cancelled, `heard_text` says how far the caller has listened, and `spoken()` waits for the sound."""

import os

from offhook import live, run

story = "Once upon a time there was a telephone that nobody answered, until one day somebody wrote a program for it."
bot = live({"session_start": lambda event, turn: "Shall I tell you a story?"})


@bot.on("user_speak")
async def answer(event, turn):
    if event["barged_in"]:
        some = len(event.get("heard_text", "").split(" ")) > 2
        yield f"You have heard {'some of it' if some else 'nearly nothing'}."
        yield {"type": "hangup"}
        return
    yield "I will, all the same. " if event["text"] == "no" else "With pleasure. "
    yield story
    await turn.spoken()  # cancelled when the caller speaks
    yield "The end."


run(bot, int(os.environ.get("PORT", "3001")))
