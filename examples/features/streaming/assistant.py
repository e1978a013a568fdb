"""Speaks while it thinks: strings that are yielded are one speech, which begins to sound with the first clause."""

import os

from offhook import live, run

bot = live({"session_start": lambda event, turn: "Ask me anything."})


async def answer_of(question):
    """Stands in for a language model, which gives its answer word by word."""
    for word in f"You asked: {question}. I am still thinking while you hear this.".split(" "):
        yield word + " "


@bot.on("user_speak")
async def answer(event, turn):
    if "bye" in event["text"].lower():
        yield "Goodbye!"
        yield {"type": "hangup"}  # waits until everything was heard
        return
    async for word in answer_of(event["text"]):
        yield word
    yield {"flush": True}  # the rest may take a while: what there is sounds now
    yield "That is all."


run(bot, int(os.environ.get("PORT", "3001")))
