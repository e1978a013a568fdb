"""
Books an appointment over a WebSocket, as examples/appointments does it in TypeScript: asks, understands, repeats, and can be interrupted.

    pip install 'offhook[serve]'        # in a clone: PYTHONPATH=packages/python/src, and websockets
    API_KEY=… python3 examples/python-assistant/assistant.py
"""

import os
import re

from offhook import live, run

days = ["monday", "tuesday", "wednesday", "thursday", "friday"]
hours = {"nine": "9", "ten": "10", "eleven": "11", "two": "2", "three": "3", "four": "4"}


class Appointment:
    """What the caller wants, as far as it is known; one for each call."""

    day: str | None = None
    hour: str | None = None

    def hear(self, said: str) -> None:
        self.day = next((day for day in days if day in said), self.day)
        word = next((word for word in [*hours, *hours.values()] if word in said), None)
        self.hour = hours.get(word, word) if word else self.hour


bot = live(state=lambda session: Appointment())


@bot.on("session_start")
async def greet(event, turn):
    yield "Welcome to the practice. "
    yield "On which day would you like to come?"


@bot.on("user_speak")
async def answer(event, turn):
    said = event["text"].lower()
    appointment = turn.state
    complete = appointment.day and appointment.hour
    if complete and re.search(r"\b(yes|right|correct)\b", said):
        yield "Your appointment is booked. Thank you, goodbye."
        yield {"type": "hangup"}  # waits until everything was heard
        return
    if complete and re.search(r"\b(no|wrong)\b", said):
        appointment.day = appointment.hour = None
    appointment.hear(said)
    if not appointment.day:
        yield "On which day would you like to come, Monday to Friday?"
    elif not appointment.hour:
        yield f"On {appointment.day}. "
        yield "At what time? We have nine, ten, eleven, two, three and four."
    else:
        yield f"That is {appointment.day} at {appointment.hour} o'clock. Is that right?"


run(bot, int(os.environ.get("PORT", "3001")), key=os.environ.get("API_KEY"))
