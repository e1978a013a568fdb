import asyncio
from typing import Any, Callable
from unittest import IsolatedAsyncioTestCase

from offhook import live
from tests.scene import Call, session, settle


class Speeches(IsolatedAsyncioTestCase):
    async def test_strings_are_one_streamed_speech_and_the_end_of_the_handler_is_told(self) -> None:
        bot = live()

        @bot.on("user_speak")
        async def answer(event: Any, turn: Any) -> Any:
            for token in ["You ", "said: ", event["text"]]:
                yield token

        call = Call(bot)
        await call.say(1, "hello")
        self.assertEqual(call.spoken(), "You said: hello")
        self.assertEqual({one.get("stream_id") for one in call.sent if one["type"] == "speak"}, {"1.1"})
        self.assertEqual(call.sent[-2], {"session_id": "s1", "turn": 1, "type": "speak", "stream_id": "1.1", "text": "", "last": True})
        self.assertEqual(call.sent[-1], {"session_id": "s1", "turn": 1, "type": "done"})

    async def test_the_first_breath_goes_out_token_by_token_what_follows_by_clause(self) -> None:
        text = "Certainly, we are open. On Monday from nine to five, on Tuesday from ten to six, and so on. Bye"
        words = [word if place == 0 else f" {word}" for place, word in enumerate(text.split(" "))]
        bot = live()

        @bot.on("user_speak")
        async def answer(event: Any, turn: Any) -> Any:
            for word in words:
                yield word

        call = Call(bot)
        await call.say(1, "hello")
        pieces = [one["text"] for one in call.sent if one["type"] == "speak"]
        self.assertEqual(pieces[:3], ["Certainly,", " we", " are open. On"])
        self.assertEqual("".join(pieces), text)
        self.assertLess(len(pieces), len(words) / 2)

    async def test_flush_actions_and_speech_fields_end_a_speech(self) -> None:
        bot = live()

        @bot.on("user_speak")
        async def answer(event: Any, turn: Any) -> Any:
            yield {"speech": {"tts": {"language": "de-DE"}}}
            yield "Einen Moment."
            yield {"flush": True}
            yield " "
            yield "Gefunden."
            yield {"type": "hangup"}

        call = Call(bot)
        await call.say(2, "x")
        tts = {"language": "de-DE"}
        self.assertEqual(
            call.bare(),
            [
                {"type": "speak", "stream_id": "2.1", "text": "Einen Moment.", "last": False, "tts": tts},
                {"type": "speak", "stream_id": "2.1", "text": "", "last": True},
                {"type": "speak", "stream_id": "2.2", "text": " Gefunden.", "last": False, "tts": tts},
                {"type": "speak", "stream_id": "2.2", "text": "", "last": True},
                {"type": "hangup"},
                {"type": "done"},
            ],
        )

    async def test_spoken_waits_until_everything_has_sounded_or_is_cut_off(self) -> None:
        order: list[str] = []
        bot = live()

        @bot.on("session_start")
        async def greet(event: Any, turn: Any) -> Any:
            yield {"type": "speak", "text": "This is a machine."}
            yield "Listen."
            try:
                await turn.spoken()
                order.append("sounded")
            except asyncio.CancelledError:
                order.append("cut off")
                raise
            yield "Hello!"

        call = Call(bot)
        await call.tell("session_start")
        await call.tell("assistant_speak", text="This is a machine.", duration_ms=900, speech_started_at=0)
        self.assertEqual(order, [])
        await call.tell("assistant_speak", text="Listen.", stream_id="0.1", duration_ms=900, speech_started_at=0)
        self.assertEqual(order, ["sounded"])
        self.assertTrue(call.spoken().endswith("Hello!"))
        other = Call(live({"session_start": greet}))
        await other.tell("session_start")
        await other.tell("session_end", reason="caller_hangup")
        self.assertEqual(order, ["sounded", "cut off"])

    async def test_the_session_of_a_turn_has_the_variables_of_now(self) -> None:
        bot = live()

        @bot.on("session_start")
        def learn(event: Any, turn: Any) -> Any:
            return {"type": "set_variables", "variables": {"first_name": "Ada"}}

        @bot.on("user_speak")
        def greet(event: Any, turn: Any) -> Any:
            return f"Hello {turn.session['variables']['first_name']}."

        call = Call(bot)
        await call.tell("session_start")
        self.assertEqual(call.bare()[0], {"type": "set_variables", "variables": {"first_name": "Ada"}})
        await call.say(1, "hello", session={**session, "variables": {"first_name": "Ada"}})
        self.assertEqual(call.spoken(), "Hello Ada.")

    async def test_plain_functions_coroutines_and_lists_are_answers_too(self) -> None:
        async def later(event: Any, turn: Any) -> Any:
            return ["One.", {"type": "hangup"}]

        call = Call(live({"session_start": lambda event, turn: "Hello.", "user_speak": later}))
        await call.tell("session_start")
        await call.say(1, "a")
        self.assertEqual(call.spoken(), "Hello.One.")
        self.assertEqual(call.types()[-2:], ["hangup", "done"])


class Aborting(IsolatedAsyncioTestCase):
    async def test_who_speaks_again_cancels_what_is_being_answered_and_nothing_of_it_is_sent(self) -> None:
        cancelled: list[bool] = []
        bot = live()

        @bot.on("user_speak")
        async def answer(event: Any, turn: Any) -> Any:
            yield f"Second: {event['text']}" if turn.turn == 2 else "First"
            if turn.turn == 2:
                return
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(turn.aborted)
                turn.send({"type": "note", "name": "cut", "data": {}})
                yield " and too late"

        call = Call(bot)
        await call.say(1, "a")
        await call.say(2, "b", heard_text="Fir")
        self.assertEqual(cancelled, [True])
        self.assertEqual(call.spoken(), "FirstSecond: b")
        self.assertEqual([one["turn"] for one in call.sent if one["type"] == "done"], [2])
        self.assertIn({"session_id": "s1", "turn": 1, "type": "note", "name": "cut", "data": {}}, call.sent)

    async def test_two_events_at_once_leave_only_the_second_answer(self) -> None:
        bot = live()

        @bot.on("user_speak")
        async def answer(event: Any, turn: Any) -> Any:
            await asyncio.sleep(0)
            yield event["text"]

        call = Call(bot)
        call.post("user_speak", 1, text="first", barged_in=False)
        await call.say(2, "second")
        self.assertEqual(call.spoken(), "second")
        self.assertEqual([one["turn"] for one in call.sent if one["type"] == "done"], [2])

    async def test_an_answer_that_came_too_late_is_cancelled_and_who_is_told_of_it_is_not(self) -> None:
        seen: list[str] = []
        bot = live()

        @bot.on("user_speak")
        async def answer(event: Any, turn: Any) -> Any:
            yield "Hello"
            try:
                await asyncio.Event().wait()
            finally:
                seen.append("cancelled")

        @bot.on("action_discarded")
        async def note(event: Any, turn: Any) -> None:
            await asyncio.sleep(0)
            seen.append(event["reason"])

        call = Call(bot)
        await call.say(3, "a")
        await call.tell("action_discarded", 3, action="speak", reason="superseded")
        self.assertEqual(seen, ["cancelled", "superseded"])

    async def test_a_handler_that_raises_costs_the_answer_not_the_call(self) -> None:
        errors: list[str] = []

        def fail(event: Any, turn: Any) -> None:
            raise ValueError("oh")

        def note(error: BaseException, event: Any) -> None:
            errors.append(str(error))

        silent = Call(live({"user_speak": fail}, on_error=note))
        await silent.say(1, "a")
        self.assertEqual(silent.texts, ["the handler of user_speak failed"])
        polite = Call(live({"user_speak": fail}, on_error=note, apology="Sorry?"))
        await polite.say(1, "a")
        self.assertEqual(polite.spoken(), "Sorry?")
        self.assertEqual(errors, ["oh", "oh"])


class Connections(IsolatedAsyncioTestCase):
    async def test_what_is_told_again_is_not_answered_again_and_unknown_events_are_passed_over(self) -> None:
        bot = live(state=lambda session: {"count": 0})

        @bot.on("user_speak")
        def answer(event: Any, turn: Any) -> str:
            turn.state["count"] += 1
            return str(turn.state["count"])

        call = Call(bot)
        await call.say(1, "a", sequence=5)
        call.lose()
        call.reopen()
        await call.tell("session_resume", last_sequence=4, sequence=None)
        await call.say(1, "a", sequence=5)
        await call.tell("something_new", 1, sequence=6)
        await call.say(2, "b", sequence=7)
        self.assertEqual(call.spoken(), "12")

    async def test_what_was_said_while_the_connection_was_lost_is_sent_when_it_is_back(self) -> None:
        waiting = asyncio.Event()
        bot = live()

        @bot.on("user_speak")
        async def answer(event: Any, turn: Any) -> Any:
            yield "One."
            await waiting.wait()
            yield {"flush": True}
            yield "Two."

        call = Call(bot)
        await call.say(1, "a")
        call.lose()
        waiting.set()
        await settle()
        self.assertEqual(call.spoken(), "One.")
        call.reopen()
        await call.tell("session_resume", last_sequence=1, sequence=None)
        self.assertEqual(call.spoken(), "One.Two.")
        bot.close()

    async def test_a_call_whose_connection_does_not_come_back_is_cancelled_and_forgotten(self) -> None:
        due: list[Callable[[], None]] = []

        def after(seconds: float, task: Callable[[], None]) -> Callable[[], None]:
            due.append(task)
            return lambda: None

        async def forever(event: Any, turn: Any) -> None:
            await asyncio.Event().wait()

        bot = live({"user_speak": forever}, after=after)
        call = Call(bot)
        await call.say(1, "a")
        call.lose()
        self.assertEqual(bot.calls, 1)
        due[0]()
        self.assertEqual(bot.calls, 0)

    async def test_the_end_of_a_call_is_handled_once_with_time_to_say_what_came_of_it(self) -> None:
        results: list[str] = []
        bot = live()

        @bot.on("session_end")
        async def end(event: Any, turn: Any) -> Any:
            results.append(f"{event['reason']} {turn.aborted}")
            await asyncio.sleep(0)
            yield {"type": "note", "name": "end", "data": {}}

        call = Call(bot)
        await call.tell("session_start")
        await call.tell("session_end", reason="caller_hangup", sequence=2)
        await call.tell("session_end", reason="caller_hangup", sequence=2)
        self.assertEqual(results, ["caller_hangup False"])
        self.assertEqual(call.types(), ["done", "note"])
        self.assertEqual(bot.calls, 0)

    async def test_leaves_immediately_when_session_end_is_repeated_over_a_new_connection(self) -> None:
        bot = live()
        call = Call(bot)
        await call.tell("session_start")
        await call.tell("session_end", reason="caller_hangup")
        call.lose()
        call.reopen()
        await call.tell("session_resume", last_sequence=1, sequence=None)
        self.assertEqual(call.left, 1)
        await call.tell("session_end", reason="caller_hangup", sequence=2)
        self.assertEqual((bot.calls, call.left), (0, 2))

    async def test_what_came_of_a_call_is_sent_when_the_connection_is_back_and_then_it_is_left(self) -> None:
        waiting = asyncio.Event()

        async def end(event: Any, turn: Any) -> Any:
            await waiting.wait()
            return {"type": "result", "outcome": "booked"}

        bot = live({"session_end": end})
        call = Call(bot)
        await call.tell("session_start")
        await call.tell("session_end", reason="caller_hangup")
        call.lose()
        waiting.set()
        await settle()
        self.assertEqual((call.types(), call.left, bot.calls), (["done"], 0, 1))
        call.reopen()
        await call.tell("session_resume", last_sequence=2, sequence=None)
        self.assertEqual((call.types(), call.left, bot.calls), (["done", "result"], 1, 0))

    async def test_a_state_that_cannot_be_made_costs_that_call(self) -> None:
        errors: list[BaseException] = []

        def state(session: Any) -> None:
            raise ValueError("no settings")

        call = Call(live({"user_speak": lambda event, turn: "Hello"}, state=state, on_error=lambda error, event: errors.append(error)))
        await call.say(1, "a")
        self.assertEqual(len(errors), 1)
        self.assertEqual(call.texts, ["the state of the call could not be made"])

    async def test_events_that_nobody_waits_for_are_answered_with_nothing_awaited_ones_with_done(self) -> None:
        call = Call(live({"assistant_speak": lambda event, turn: None}))
        await call.tell("assistant_speak", text="x", duration_ms=1, speech_started_at=0)
        self.assertEqual(call.types(), [])
        await call.tell("transfer_failed", target="p0", cause="busy")
        self.assertEqual(call.types(), ["done"])

    async def test_the_end_of_a_turn_is_told_by_whoever_ends_last(self) -> None:
        waiting = asyncio.Event()

        async def slow(event: Any, turn: Any) -> None:
            await waiting.wait()

        bot = live({"assistant_speak": slow})

        @bot.on("session_start")
        async def greet(event: Any, turn: Any) -> Any:
            yield "Hello."
            await turn.spoken()
            yield "Bye."

        call = Call(bot)
        await call.tell("session_start")
        await call.tell("assistant_speak", text="Hello.", stream_id="0.1", duration_ms=1, speech_started_at=0)
        self.assertEqual((call.spoken(), call.types().count("done")), ("Hello.Bye.", 0))
        waiting.set()
        await settle()
        self.assertEqual(call.types().count("done"), 1)

    async def test_a_call_that_another_process_had_goes_on_as_far_as_it_can(self) -> None:
        seen: list[int] = []
        call = Call(live({"session_resume": lambda event, turn: seen.append(event["last_sequence"])}))
        await call.tell("session_resume", last_sequence=9, sequence=None)
        self.assertEqual(seen, [9])
