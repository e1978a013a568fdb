"""What an assistant can do, in Python. bot.ts is the same in TypeScript: whatever a caller does, both have to send the same actions."""

import asyncio

from offhook import live, run

bot = live(state=lambda session: {"words": [], "keys": ""}, apology="Sorry, that went wrong.", on_error=lambda error, event: None)

story = "Certainly, once upon a time there was a telephone. It rang and rang, day and night, summer and winter, and nobody was at home to answer it."


async def tokens(text):
    for place, word in enumerate(text.split(" ")):
        await asyncio.sleep(0)
        yield word if place == 0 else f" {word}"


@bot.on("session_start")
async def greet(event, turn):
    yield {"type": "speak", "text": "You talk to a machine.", "protect": True}
    yield "Hello, "
    yield event["session"]["from_phone_number"]
    yield "."


@bot.on("user_speak")
async def answer(event, turn):
    turn.state["words"].append(event["text"])
    match event["text"]:
        case "story":
            async for token in tokens(story):
                yield token
        case "slowly":
            async for token in tokens(story):
                yield token
            await turn.spoken()
            yield "Until somebody wrote an assistant."
        case "look":
            yield {"type": "note", "name": "tool", "data": {"name": "look"}}
            yield "One moment."
            yield {"flush": True}
            await turn.spoken()
            yield {"speech": {"expects": "yes_no"}}
            yield "Found it. "
            yield "Right?"
        case "fail":
            raise ValueError("oh")
        case "break":
            yield "It began well"
            raise ValueError("oh")
        case "nothing":
            pass
        case "person":
            yield "I connect you."
            yield {"type": "transfer", "target": "p0"}
        case "bye":
            yield "Goodbye."
            yield {"type": "hangup"}
        case text:
            yield f"You said {text}"
            if event["barged_in"]:
                yield f" after {event['heard_text']}"
            yield "."


@bot.on("dtmf_received")
def key(event, turn):
    turn.state["keys"] += event["digit"]
    return [f"Key {event['digit']}."] if event["digit"] == "#" else None


@bot.on("user_input_timeout")
async def wake(event, turn):
    return "Are you there?"


@bot.on("session_end")
async def end(event, turn):
    yield {"type": "result", "outcome": event["reason"], "fields": turn.state}


run(bot, 0)
