import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realClock } from '#adapters/clock/clocks.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { readSettings } from '#settings/config.ts'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { attemptOf } from '#core/telephone/timeline/exchange.ts'
import { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { TimelineEvent } from '#core/telephone/timeline/pieces.ts'
import { start } from '#wiring/main.ts'
import { spread } from '../shared/percentiles.ts'

/** Cost of recording call timelines, with and without a watcher, and the delay until the watcher sees an entry. */
const folder = await mkdtemp(join(tmpdir(), 'offhook-timeline-'))
const clock = realClock()
const input = { company: 'Bench', country: 'DE', locale: 'en_US', currency: 'EUR' } as const

const body = JSON.stringify({
  type: 'user_speak',
  session: { id: 'x'.repeat(36) },
  text: 'I would like to speak to somebody about my bill.',
})
const delivery = { eventId: 'e'.repeat(36), attempt: 1, channel: 'webhook', durationMs: 80, state: 'delivered', error: undefined } as const
const request = { headers: { 'content-type': 'application/json', 'webhook-signature': `v1,${'s'.repeat(44)}` }, body }
const exchange = { url: 'https://example.com/hook', request, response: { status: 200, headers: request.headers, body: Buffer.from(body) } }

/** Entries of one assistant turn. */
const turn = (): TimelineEvent[] => [
  { kind: 'voice', speaking: true },
  { kind: 'voice', speaking: false },
  { kind: 'heard', turn: 1, text: 'I would like to speak to somebody about my bill.', final: true, typed: false },
  { kind: 'event', eventId: delivery.eventId, type: 'user_speak', turn: 1, body: JSON.parse(body) as unknown },
  attemptOf(delivery as never, exchange, {}),
  { kind: 'action', eventId: delivery.eventId, turn: 1, action: JSON.parse(body) as unknown },
  {
    kind: 'turn',
    turn: 1,
    vadEndMs: 100,
    endpointMs: 500,
    sttFinalMs: 550,
    decidedMs: 551,
    sentMs: 552,
    answeredMs: 640,
    firstSoundMs: 700,
  },
  { kind: 'speaks', eventId: delivery.eventId, text: 'Of course.' },
  { kind: 'spoke', eventId: delivery.eventId, text: 'Of course.', startedAt: 1, playedMs: 900, completed: true },
  { kind: 'event', eventId: delivery.eventId, type: 'assistant_speak', turn: 1, body: JSON.parse(body) as unknown },
]

/** CPU microseconds per entry. */
const cpuOf = async (count: number, run: () => Promise<void>): Promise<number> => {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return Math.round(((user + system) / count) * 10) / 10
}

const openTimelines = (store: Store, keeps: boolean): LiveTimelines =>
  new LiveTimelines({ store, clock, owner: 'bench', keeps, onError: (error) => console.error(error) })

/** Concurrent conversations with this many turns each. */
const talk = async (timelines: LiveTimelines, accountId: string, { calls = 100, turns = 20 } = {}): Promise<void> => {
  const running = Array.from({ length: calls }, (_, index) => timelines.open(accountId, `${index}-${Math.random()}`))
  for (let count = 0; count < turns; count++) {
    for (const timeline of running) for (const event of turn()) timeline.note(event)
    await timelines.flush()
  }
  for (const timeline of running) timeline.release()
  await timelines.flush()
}

/** Phone calls without an assistant: four entries, each written separately, many calls concurrently. */
const phone = async (timelines: LiveTimelines, accountId: string, calls: number): Promise<void> => {
  const running = Array.from({ length: calls }, (_, index) => timelines.open(accountId, `${index}-${Math.random()}`))
  for (const state of ['started', 'ringing', 'answered', 'ended'] as const) {
    for (const timeline of running) timeline.note({ kind: 'call', state })
    if (state === 'ended') for (const timeline of running) timeline.release()
    await timelines.flush()
  }
}

const noting = async (): Promise<Record<string, number>> => {
  const store = await sqliteStore(join(folder, 'bench.db'))
  const accountId = await store.write((tables) => createAccount(tables, clock, input))
  const entries = 100 * 20 * 10
  const [unkept, kept, watched] = [openTimelines(store, false), openTimelines(store, true), openTimelines(store, true)]
  await talk(kept, accountId, { turns: 5 })
  const result = {
    entryOnlyNotedUs: await cpuOf(entries, () => talk(unkept, accountId)),
    entryKeptUs: await cpuOf(entries, () => talk(kept, accountId)),
    entryKeptAndToldUs: 0,
    phoneCallUs: await cpuOf(2_000, () => phone(kept, accountId, 2_000)),
  }
  let bytes = 0
  watched.watch({ accountId, userId: undefined, callId: undefined, flowId: undefined, notify: ({ text }) => void (bytes += text.length) })
  result.entryKeptAndToldUs = await cpuOf(entries, () => talk(watched, accountId))
  for (const one of [unkept, kept, watched]) await one.close()
  await store.close()
  return result
}

/** Watcher over HTTP at this many entries per second. */
const watching = async (perSecond: number, seconds: number): Promise<Record<string, unknown>> => {
  const settings = { OFFHOOK_HTTP: '127.0.0.1:0', OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_DEMO: 'off', OFFHOOK_SPEECH: 'off' }
  const running = await start(readSettings({ ...settings, OFFHOOK_DATA: join(folder, 'service') }), { log: () => {} })
  const { store, timelines } = running.deps
  const names = { email: 'a@example.com', firstname: 'A', lastname: 'B', passwordHash: 'none', admin: true, locale: 'en_US' } as const
  const { accountId, token } = await store.write(async (tables) => {
    const account = await createAccount(tables, clock, input)
    const userId = await createUser(tables, clock, account, names)
    const holder = { accountId: account, userId }
    return { accountId: account, token: await issueToken(tables, clock, { kind: 'session', holder, subject: userId, scopes: ['all'] }) }
  })
  const leaving = new AbortController()
  const reply = await fetch(`${running.http}/v2/timeline`, { headers: { authorization: `Bearer ${token}` }, signal: leaving.signal })
  const [noted, delays]: [number[], number[]] = [[], []]
  const reading = (async () => {
    for await (const piece of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const arrived = delays.length + (piece.match(/^data: /gm)?.length ?? 0)
      while (delays.length < arrived) delays.push(performance.now() - (noted[delays.length] ?? 0))
    }
  })().catch(() => {})
  const timeline = timelines.open(accountId, 'c1')
  const before = process.cpuUsage()
  const started = performance.now()
  for (let count = 0; count < perSecond * seconds; count++) {
    const wait = started + (count * 1000) / perSecond - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    noted.push(performance.now())
    timeline.note(turn()[count % 10] as TimelineEvent)
  }
  while (delays.length < noted.length) await new Promise((resolve) => setTimeout(resolve, 10))
  const { user, system } = process.cpuUsage(before)
  const cpuPercent = Math.round((user + system) / (performance.now() - started) / 10)
  timeline.release()
  leaving.abort()
  await reading
  await running.close()
  return { perSecond, told: delays.length, delayMs: spread(delays), cpuPercent }
}

try {
  console.log(JSON.stringify({ timeline: await noting() }))
  console.log(JSON.stringify({ timelineWatched: await watching(100, 5) }))
} finally {
  await rm(folder, { recursive: true, force: true })
}
