import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { WebSocketServer, type WebSocket } from 'ws'
import { until } from '#test/machine/peer-process.ts'
import { readRecordedSpeech } from '#test/speech/recorded-speech.ts'
import { openStage } from '../shared/assistant-stage.ts'
import { percentile, rounded } from '../shared/percentiles.ts'
import { TalkingPhone, utteranceOf } from '../assistant/talking-phone.ts'

/**
 * How often an assistant takes its own echo for the caller. Phones echo received sound at -20 dB, each with a different delay, while the assistant
 * speaks without a pause and stops for every voice (barge-in `immediate`). Then the caller speaks, so that a canceller that suppresses everything fails.
 * `node bench/speech/echo.ts [seconds]`.
 */
const seconds = Number(process.argv[2] ?? 60)
const delaysMs = [40, 80, 120]
const gain = 0.1
const interruptions = 5

interface Told {
  at: number
  body: AssistantEvent
}

const speech = await readRecordedSpeech()

/** Assistant that speaks without a pause. Uses a WebSocket, because only there it learns immediately that the caller speaks. */
const openTalker = async () => {
  const notified = new Map<string, Told[]>()
  const server = createServer()
  const answer = (socket: WebSocket, body: AssistantEvent): void => {
    const { phone_number: number, id } = body.session
    const mine = notified.get(number) ?? []
    notified.set(number, [...mine, { at: performance.now(), body }])
    if (body.type !== 'session_start' && body.type !== 'assistant_speak') return
    const { text } = speech[mine.length % speech.length] ?? { text: '' }
    socket.send(JSON.stringify({ type: 'speak', session_id: id, text, barge_in: { strategy: 'immediate' } }))
  }
  new WebSocketServer({ server }).on('connection', (socket) => {
    socket.on('message', (data: Buffer) => answer(socket, JSON.parse(data.toString()) as AssistantEvent))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { address, close, toldOf: (number: string) => notified.get(number.replace('+', '')) ?? [] }
}

const talker = await openTalker()
const stage = await openStage(() => undefined, { OFFHOOK_SPEECH: 'embedded', OFFHOOK_EGRESS_ALLOW: talker.address })
stage.scope.after(talker.close)

const newFlow = () => stage.newFlow({ websocketUrl: `ws://${talker.address}/`, extended_events: ['user_speech_started'] })

const call = async (number: string, delayMs: number): Promise<{ phone: TalkingPhone; number: string; delayMs: number }> => {
  const phone = await TalkingPhone.open(stage.scope, stage.exchange, { echo: { delayMs, gain } })
  await phone.dial(number)
  return { phone, number, delayMs }
}

const spokenMs = (notified: Told[]): number =>
  notified.reduce((sum, { body }) => sum + (body.type === 'assistant_speak' ? body.duration_ms : 0), 0)
const starts = (notified: Told[]): Told[] => notified.filter(({ body }) => body.type === 'user_speech_started')

/** Milliseconds from the first voiced sample to the event; undefined if it was not heard. */
const interrupt = async ({ phone, number }: Awaited<ReturnType<typeof call>>, nth: number): Promise<number | undefined> => {
  const { samples } = speech[nth % speech.length] ?? { samples: new Int16Array(160) }
  const before = performance.now()
  const { first, last } = await phone.say(utteranceOf(samples))
  await until('the turn is over', () => performance.now() > last + 2_500 || undefined)
  const heard = starts(talker.toldOf(number)).find(({ at }) => at > before)
  return heard && heard.at - first
}

const numbers = await Promise.all(delaysMs.map(newFlow))
await stage.idle() // before the first assistant speaks: from then on the program is never idle
const calls = await Promise.all(delaysMs.map((delayMs, nth) => call(numbers[nth] ?? '', delayMs)))
await Promise.all(calls.map(({ phone }) => until('the assistant speaks', () => phone.firstSounds(0).audibleAt, 15_000)))
await sleep(seconds * 1000)
const figures = calls.map(({ number, delayMs }) => {
  const notified = talker.toldOf(number)
  const [begun] = notified
  const atSeconds = starts(notified).map(({ at }) => rounded((at - (begun?.at ?? 0)) / 1000))
  return { delayMs, speechSeconds: Math.round(spokenMs(notified) / 1000), atSeconds }
})
const noticed: (number | undefined)[] = []
for (let nth = 0; nth < interruptions; nth++) {
  noticed.push(...(await Promise.all(calls.map((one) => interrupt(one, nth)))))
}
await stage.close()

const minutes = figures.reduce((sum, { speechSeconds }) => sum + speechSeconds, 0) / 60
const falseInterruptions = figures.reduce((sum, { atSeconds }) => sum + atSeconds.length, 0)
const noticedMs = noticed.filter((ms) => ms !== undefined)
console.log(
  JSON.stringify({
    bench: 'echo',
    what: 'interruptions by the assistant’s own echo at -20 dB, barge-in immediate',
    minutesOfSpeech: rounded(minutes),
    falsePerMinute: rounded(falseInterruptions / minutes, 2),
    goal: 0,
    byDelay: figures,
    realInterruptions: noticed.length,
    realNoticed: noticedMs.length,
    realNoticedAfterMs: percentile(noticedMs, 0.5),
  }),
)
