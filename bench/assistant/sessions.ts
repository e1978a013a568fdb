import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toneMessages, toneSound } from '#adapters/speech/tones/tone-speech.ts'
import { openStage, seenTurns } from '../shared/assistant-stage.ts'
import { cpuSeconds } from '../shared/child.ts'
import { openManyCalls } from '../shared/many-calls.ts'
import { percentile, rounded } from '../shared/percentiles.ts'
import { metricsToken, readMemory } from '../shared/service-memory.ts'
import { threadCpuMs, threadShares } from '../shared/thread-cpu.ts'
import type { CallerSaid, CallersOrder } from '../shared/tone-callers.ts'

/**
 * Cost of events with many concurrent sessions: speech is tones, so only Offhook's own work is measured. First the sessions are open and no caller
 * speaks, then each caller speaks every few seconds. One turn: the end of speech is detected, user_speak is posted, its answer is spoken,
 * assistant_speak is posted. `node bench/assistant/sessions.ts [sessions] [seconds]`.
 */
const sessions = Number(process.argv[2] ?? 500)
const measureMs = Number(process.argv[3] ?? 20) * 1000
const carrier = '127.0.0.2'
const words = 'a table'
const intervalMs = 10_000
const callsPerSecond = 40
const settleMs = 3_000
const warmUpCalls = 20
const fullMs = 35_000

const stage = await openStage(
  ({ type, session }) =>
    type === 'user_speak' ? { type: 'speak', session_id: session.id, text: 'ok', barge_in: { strategy: 'none' } } : undefined,
  { OFFHOOK_SPEECH: 'tones', OFFHOOK_METRICS_TOKEN: metricsToken },
)
const callers = fork(join(import.meta.dirname, '../shared/tone-callers.ts'))
stage.scope.after(() => callers.disconnect())
const [{ port: rtpPort }] = (await once(callers, 'message')) as [{ port: number }]
const said: CallerSaid[] = []
callers.on('message', (message: CallerSaid) => said.push(message))
const order = (what: CallersOrder): boolean => callers.send(what)
const monotonicAtZero = Number(process.hrtime.bigint()) / 1e6 - performance.now()

await stage.exchange.newTrunk(carrier)
const number = await stage.newFlow()
await stage.idle()
const calls = await openManyCalls(stage.scope, { address: carrier, server: stage.exchange.sip, rtpPort })
const numberOf = (caller: number): string => `+49302300${String(caller).padStart(4, '0')}`

/** Warm-up calls: compiled code and caches do not count towards a session's memory. */
const warmUp = async (): Promise<void> => {
  for (let caller = 0; caller < warmUpCalls; caller++) await calls.call(numberOf(caller), number)
  await calls.hangUpAll()
  await sleep(settleMs)
  await stage.idle()
}

const fillUp = async (): Promise<number> => {
  const failures: unknown[] = []
  const answered: Promise<void>[] = []
  for (let caller = 0; caller < sessions; caller++) {
    const call = calls.call(numberOf(caller), number).then((port) => void order({ join: caller, port }))
    answered.push(call.catch((error: unknown) => void failures.push(error)))
    await sleep(1000 / callsPerSecond)
  }
  await Promise.all(answered)
  if (failures.length > sessions / 10) throw new Error(`${failures.length} calls failed`, { cause: failures[0] })
  return sessions - failures.length
}

interface Used {
  /** CPU seconds of the service per second of measurement. */
  cores: number
  byThread: Record<string, number>
}

const measure = async (): Promise<Used> => {
  await sleep(settleMs)
  const [cpu, threads, from] = [cpuSeconds(stage.pid), threadCpuMs(stage.pid), performance.now()]
  await sleep(measureMs)
  const ms = performance.now() - from
  return { cores: ((cpuSeconds(stage.pid) - cpu) * 1000) / ms, byThread: threadShares(threads, threadCpuMs(stage.pid), ms) }
}

const turnsBetween = (from: number, to: number): number =>
  stage.endpoint.events.filter(({ at, body }) => body.type === 'user_speak' && at >= from && at < to).length

/** CPU milliseconds of the tone recogniser alone for such a turn. */
const recogniserMs = (): number => {
  const tones = toneSound(words)
  const heard = new Int16Array(8 * 500 + tones.length)
  heard.set(tones, 8 * 300)
  const look = (): void => void toneMessages(heard)
  for (let i = 0; i < 50; i++) look()
  const before = process.cpuUsage()
  for (let i = 0; i < 200; i++) look()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / 200
}

await warmUp()
const before = await readMemory(stage.exchange.http)
const open = await fillUp()
const quiet = await measure()
/** Tracks and ring buffers are full after half a minute. */
await sleep(Math.max(0, fullMs - measureMs - settleMs))
const quietMemory = await readMemory(stage.exchange.http)
order({ text: words, intervalMs })
const from = performance.now() + settleMs
const busy = await measure()
const turnsPerSecond = turnsBetween(from, from + measureMs) / (measureMs / 1000)
const busyMemory = await readMemory(stage.exchange.http)
order({ silence: true })
await sleep(2_000)
await calls.hangUpAll()
const inTime = (at: number): boolean => at >= from && at < from + measureMs
const turns = seenTurns(stage.endpoint, await stage.close()).filter(({ webhookAt }) => inTime(webhookAt))

/** Milliseconds from the last packet of speech to the webhook. */
const wholeMs = stage.endpoint.events.flatMap(({ at, body }) => {
  if (body.type !== 'user_speak' || !inTime(at)) return []
  const sent = said.findLast((one) => `+${body.session.from_phone_number}` === numberOf(one.caller) && one.at - monotonicAtZero < at)
  return sent ? [at - (sent.at - monotonicAtZero)] : []
})
const perSession = (megabytes: number): number => Math.round((megabytes * 1024) / open)
const dispatchMs = turns.map(({ webhookAt, decidedAt }) => webhookAt - decidedAt)
console.log(
  JSON.stringify({
    bench: 'sessions',
    what: 'event overhead, speech is tones',
    wanted: sessions,
    sessions: open,
    turnsPerSecond: rounded(turnsPerSecond),
    expectedTurnsPerSecond: rounded((open * 1000) / intervalMs),
    cpuMsPerTurn: rounded(((busy.cores - quiet.cores) * 1000) / turnsPerSecond, 2),
    ofItToneRecogniserMs: rounded(recogniserMs(), 2),
    cpuPercentPerQuietSession: rounded((quiet.cores * 100) / open, 3),
    coresUsed: { quiet: rounded(quiet.cores, 2), busy: rounded(busy.cores, 2) },
    coresByThread: { quiet: quiet.byThread, busy: busy.byThread },
    dispatchMs: { p50: percentile(dispatchMs, 0.5), p99: percentile(dispatchMs, 0.99), turns: turns.length },
    lastSoundToWebhookMs: { p50: percentile(wholeMs, 0.5), p99: percentile(wholeMs, 0.99) },
    callersLateMs: percentile(
      said.map(({ late }) => late),
      0.99,
    ),
    kilobytesPerSession: {
      quiet: perSession(quietMemory.resident - before.resident),
      busy: perSession(busyMemory.resident - before.resident),
    },
    memory: { before, quiet: quietMemory, busy: busyMemory },
  }),
)
