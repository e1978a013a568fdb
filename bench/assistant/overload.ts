import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStage, seenTurns, type SeenTurn } from '../shared/assistant-stage.ts'
import { cpuSeconds } from '../shared/child.ts'
import { CallRejected, openManyCalls } from '../shared/many-calls.ts'
import { percentile, rounded } from '../shared/percentiles.ts'
import { metricsToken } from '../shared/service-memory.ts'
import type { CallersOrder } from '../shared/tone-callers.ts'

/**
 * Calls of assistants beyond what the machine carries. First more and more are offered until some are rejected (or a fifth of the packets leaves
 * late, or a set-up takes a second, where nothing is rejected); then the last rate that was fine, three times as many, and none. Callers speak
 * every four seconds; speech is tones. `node bench/assistant/overload.ts [seconds of a call] [on|off]`: off admits everything.
 */
const callSeconds = Number(process.argv[2] ?? 12)
const sheds = process.argv[3] ?? 'on'
const carrier = '127.0.0.2'
const words = 'a table'
const intervalMs = 4_000
const stepSeconds = callSeconds * 1.5
const overloadSeconds = 30
const firstRate = 120 / callSeconds
const growth = 1.6

const stage = await openStage(
  ({ type, session }) =>
    type === 'user_speak' ? { type: 'speak', session_id: session.id, text: 'ok', barge_in: { strategy: 'none' } } : undefined,
  { OFFHOOK_SPEECH: 'tones', OFFHOOK_METRICS_TOKEN: metricsToken, OFFHOOK_SHED_LOAD: sheds },
)
const callers = fork(join(import.meta.dirname, '../shared/tone-callers.ts'))
stage.scope.after(() => callers.disconnect())
const [{ port: rtpPort }] = (await once(callers, 'message')) as [{ port: number }]
const order = (what: CallersOrder): boolean => callers.send(what)
await stage.exchange.newTrunk(carrier, { maxCalls: 5_000, callsPerSecond: 100 })
const number = await stage.newFlow()
await stage.idle()
const line = await openManyCalls(stage.scope, { address: carrier, server: stage.exchange.sip, rtpPort })

interface Tried {
  at: number
  setupMs: number
  outcome: 'admitted' | 'shed' | 'failed'
  lost: boolean
  byeMs?: number
}

const tried: Tried[] = []
const running = new Set<Promise<void>>()
let names = 0

const tryCall = async (): Promise<void> => {
  const caller = names++
  const one: Tried = { at: performance.now(), setupMs: 0, outcome: 'failed', lost: false }
  tried.push(one)
  try {
    const opened = await line.open(`+4930${String(23_000_000 + caller)}`, number)
    one.setupMs = performance.now() - one.at
    one.outcome = 'admitted'
    order({ join: caller, port: opened.port })
    await Promise.race([opened.lost.then(() => (one.lost = true)), sleep(callSeconds * 1000)])
    order({ leave: caller })
    const byeAt = performance.now()
    await opened.hangUp()
    one.byeMs = performance.now() - byeAt
  } catch (error) {
    if (error instanceof CallRejected && error.status === 503) one.outcome = 'shed'
    one.setupMs = performance.now() - one.at
  }
}

const offer = async (perSecond: number, seconds: number): Promise<void> => {
  const from = performance.now()
  for (let nth = 0; nth < perSecond * seconds; nth++) {
    const call = tryCall().finally(() => running.delete(call))
    running.add(call)
    await sleep(Math.max(0, from + ((nth + 1) * 1000) / perSecond - performance.now()))
  }
}

const metrics = async (): Promise<Record<string, number>> => {
  const reply = await fetch(`${stage.exchange.http}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  return Object.fromEntries(
    [...(await reply.text()).matchAll(/^(\w+(?:\{[^}]*\})?) ([\d.e+-]+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  )
}

interface Phase {
  from: number
  to: number
  perSecond: number
  calls: Tried[]
  latePercent: number
  processors: number
  ratios: Record<string, number>
  /** Rejected calls by the measure above its limit. */
  shedBy: Record<string, number>
}

const phase = async (perSecond: number, seconds: number): Promise<Phase> => {
  const [from, before, cpu] = [performance.now(), await metrics(), cpuSeconds(stage.pid)]
  await offer(perSecond, seconds)
  const [to, after] = [performance.now(), await metrics()]
  const since = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0)
  return {
    from,
    to,
    perSecond,
    calls: tried.filter(({ at }) => at >= from && at < to),
    shedBy: Object.fromEntries(
      ['loop', 'media', 'recogniser', 'database'].map((by) => [by, since(`offhook_shed_total{kind="call",reason="${by}"}`)]),
    ),
    latePercent: rounded((100 * since('offhook_media_late_ticks_total')) / Math.max(1, since('offhook_media_ticks_total')), 2),
    processors: rounded((cpuSeconds(stage.pid) - cpu) / ((to - from) / 1000), 2),
    ratios: Object.fromEntries(
      Object.entries(after).flatMap(([name, value]) => {
        const by = /^offhook_load_ratio\{reason="(\w+)"\}/.exec(name)?.[1]
        return by === undefined ? [] : [[by, rounded(value, 2)]]
      }),
    ),
  }
}

const isTooMuch = ({ calls, latePercent }: Phase): boolean =>
  calls.some(({ outcome }) => outcome !== 'admitted') ||
  latePercent > 20 ||
  percentile(
    calls.map(({ setupMs }) => setupMs),
    0.95,
  ) > 1_000

/** Calls and code that do not count. */
for (let nth = 0; nth < 30; nth++) await line.call('+493023', number)
await line.hangUpAll()
await sleep(3_000)
await stage.idle()
order({ text: words, intervalMs })

let carried = firstRate
const steps: object[] = []
for (let rate = firstRate; rate < 500; rate *= growth) {
  const step = await phase(rate, stepSeconds)
  await Promise.all(running)
  steps.push({ perSecond: rounded(rate), latePercent: step.latePercent, processors: step.processors, ratios: step.ratios })
  if (isTooMuch(step)) break
  carried = rate
  await sleep(2_000)
}
await sleep(8_000)
const normal = await phase(carried, stepSeconds * 1.5)
const overload = await phase(carried * 3, overloadSeconds)
const endedAt = performance.now()
const normalAfter = async (): Promise<number> => {
  for (;;) {
    if ((await metrics())['offhook_overloaded'] !== 1) return performance.now() - endedAt
    await sleep(100)
  }
}
const normalAfterMs = await normalAfter()
await Promise.all(running)
await sleep(2_000)
const after = await phase(carried, callSeconds)
await Promise.all(running)
const turns = seenTurns(stage.endpoint, await stage.close())

const report = ({ from, to, perSecond, calls, latePercent, processors, ratios, shedBy }: Phase, all: readonly SeenTurn[]): object => {
  const admitted = calls.filter(({ outcome }) => outcome === 'admitted')
  const firstSoundMs = all.filter(({ webhookAt }) => webhookAt >= from && webhookAt < to).flatMap(({ firstSoundMs: ms }) => ms ?? [])
  const rejected = calls.filter(({ outcome }) => outcome === 'shed')
  return {
    offeredPerSecond: rounded(perSecond),
    admitted: admitted.length,
    shed: rejected.length,
    failed: calls.filter(({ outcome }) => outcome === 'failed').length,
    lost: admitted.filter(({ lost }) => lost).length,
    setupMs: {
      p50: percentile(
        admitted.map(({ setupMs }) => setupMs),
        0.5,
      ),
      p95: percentile(
        admitted.map(({ setupMs }) => setupMs),
        0.95,
      ),
    },
    shedMs: {
      p95: percentile(
        rejected.map(({ setupMs }) => setupMs),
        0.95,
      ),
    },
    byeMs: {
      p95: percentile(
        admitted.flatMap(({ byeMs }) => byeMs ?? []),
        0.95,
      ),
    },
    turnMs: { p50: percentile(firstSoundMs, 0.5, 0), p95: percentile(firstSoundMs, 0.95, 0), turns: firstSoundMs.length },
    latePercent,
    processors,
    ratios,
    shedBy,
  }
}

console.log(
  JSON.stringify({
    bench: 'overload',
    what: 'assistant calls, speech is tones; turns from the last voiced sample to the first sound; latePercent: packets ten milliseconds late or more',
    sheds,
    callSeconds,
    machine: { processors: availableParallelism(), loadAverage: rounded(loadavg()[0] ?? 0) },
    carriedPerSecond: rounded(carried),
    goal: { setupP95Ms: 300, latePercent: 1, turnP95Ms: 1_500, lost: 0, normalAfterMs: 5_000 },
    normal: report(normal, turns),
    overload: report(overload, turns),
    normalAfterMs: rounded(normalAfterMs, 0),
    after: report(after, turns),
    steps,
  }),
)
