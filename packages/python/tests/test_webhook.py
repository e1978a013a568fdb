import json
from typing import Any
from unittest import IsolatedAsyncioTestCase, TestCase

from offhook import assistant, verify_webhook
from tests.scene import session

# As the service signs: see the example of Standard Webhooks.
secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
body = '{"test": 2432232314}'
headers = {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,unknown v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


class Verifying(TestCase):
    def test_what_was_signed_recently_with_one_of_the_secrets_is_right(self) -> None:
        self.assertTrue(verify_webhook(body, headers, secret, now=1614265330))
        self.assertTrue(verify_webhook(body.encode(), headers, ["whsec_AAAA", secret], now=1614265330 + 300))
        self.assertFalse(verify_webhook(body, headers, secret, now=1614265330 + 301))
        self.assertFalse(verify_webhook(body + " ", headers, secret, now=1614265330))
        self.assertFalse(verify_webhook(body, headers, "whsec_AAAA", now=1614265330))

    def test_what_is_missing_or_no_number_is_wrong(self) -> None:
        for name in headers:
            rest = {other: value for other, value in headers.items() if other != name}
            self.assertFalse(verify_webhook(body, rest, secret, now=1614265330), name)
        for timestamp in ("", "soon", "nan", "inf"):
            self.assertFalse(verify_webhook(body, {**headers, "webhook-timestamp": timestamp}, secret), timestamp)


class Answering(IsolatedAsyncioTestCase):
    def event(self, type: str, **fields: Any) -> str:
        return json.dumps({"type": type, "session": session, **fields})

    async def test_what_a_handler_gives_is_joined_to_one_answer(self) -> None:
        bot = assistant()

        @bot.on("user_speak")
        async def answer(event: Any, turn: Any) -> Any:
            turn.state["turns"] = turn.state.get("turns", 0) + 1
            yield "You said "
            yield event["text"]
            yield {"flush": True}
            yield f"Turn {turn.state['turns']}."
            yield {"type": "hangup"}

        event = self.event("user_speak", text="yes.", barged_in=False)
        first, second = [await bot.answer(event, {}) for _ in range(2)]
        self.assertEqual(first.status, 200)
        self.assertEqual(
            [one.get("text", one["type"]) for one in json.loads(first.body)], ["You said yes.", "Turn 1.", "hangup"]
        )
        self.assertEqual({one["session_id"] for one in json.loads(first.body)}, {"s1"})
        self.assertIn("Turn 2.", second.body)

    async def test_the_same_event_gets_the_same_reply(self) -> None:
        bot = assistant(state=lambda _session: [])

        @bot.on("user_speak")
        def answer(event: Any, turn: Any) -> str:
            turn.state.append(1)
            if len(turn.state) == 1:
                raise ValueError("oh")
            return str(len(turn.state))

        bot._on_error = lambda error, event: None
        event = self.event("user_speak", text="a", barged_in=False)
        replies = [await bot.answer(event, {"X-Event-Id": "evt_1"}) for _ in range(3)]
        self.assertEqual([reply.status for reply in replies], [500, 200, 200])
        self.assertEqual(replies[1], replies[2])

    async def test_only_what_is_signed_and_an_event_is_answered(self) -> None:
        bot = assistant({"session_start": lambda event, turn: None}, secret=secret)
        self.assertEqual((await bot.answer(self.event("session_start"), {})).status, 401)
        open_bot = assistant({"session_start": lambda event, turn: None})
        self.assertEqual((await open_bot.answer("{", {})).status, 400)
        self.assertEqual((await open_bot.answer("[]", {})).status, 400)
        self.assertEqual((await open_bot.answer(self.event("session_start"), {})).status, 204)

    async def test_what_was_answered_ahead_of_time_is_not_answered_again(self) -> None:
        bot = assistant({"user_speak_preview": lambda event, turn: "Early.", "user_speak": lambda event, turn: "Again."})
        preview = self.event("user_speak_preview", turn_token="one", text="a", end_probability=0.9)
        self.assertIn("Early.", (await bot.answer(preview, {})).body)
        self.assertEqual((await bot.answer(self.event("user_speak", text="a", barged_in=False, previewed=True), {})).status, 204)
        self.assertIn("Again.", (await bot.answer(self.event("user_speak", text="b", barged_in=False), {})).body)
