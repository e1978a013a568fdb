import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSipp } from '#test/peers/sipp.ts'
import { openStage } from '../shared/assistant-stage.ts'
import { openManyCalls } from '../shared/many-calls.ts'
import { rounded } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'
import { openMeasuredPostgres, type Costs } from './postgres-costs.ts'
import type { CallersOrder } from '../shared/tone-callers.ts'

/**
 * Cost of a call in PostgreSQL: with an assistant behind a webhook that answers each turn, and from a trunk to a registered phone; one alone,
 * and many concurrently, which share batches. `node bench/store/postgres-calls.ts [concurrent calls] [seconds] [kinds]`; `kinds` lists the statements.
 */
const concurrency = Number(process.argv[2] ?? 20)
const callMs = Number(process.argv[3] ?? 15) * 1000
const listsKinds = process.argv[4] === 'kinds'
const intervalMs = 4_000
const idleMs = 20_000
const carrier = '127.0.0.2'

const scope = openScope()
const postgres = await openMeasuredPostgres(scope)
const stage = await openStage(
  ({ type, session }) =>
    type === 'user_speak' || type === 'session_start' ? { type: 'speak', session_id: session.id, text: 'ok' } : undefined,
  { OFFHOOK_SPEECH: 'tones', DATABASE_URL: postgres.url },
)
scope.after(() => stage.close())
const callers = fork(join(import.meta.dirname, '../shared/tone-callers.ts'))
scope.after(() => callers.disconnect())
const [{ port: rtpPort }] = (await once(callers, 'message')) as [{ port: number }]
const order = (what: CallersOrder): boolean => callers.send(what)
await stage.exchange.newTrunk(carrier)
const number = await stage.newFlow()
const phone = await startSipp(scope, { scenario: 'uas', calls: 1_000_000 })
const line = await stage.exchange.numberOf(scope, phone)
await stage.idle()

let callerId = 0

const holdCalls = async (count: number, to: string): Promise<void> => {
  const calls = await openManyCalls(stage.scope, { address: carrier, server: stage.exchange.sip, rtpPort })
  for (let nth = 0; nth < count; nth++) {
    const caller = callerId++
    order({ join: caller, port: await calls.call(`+49302300${String(caller).padStart(4, '0')}`, to) })
  }
  order({ text: 'a table', intervalMs })
  await sleep(callMs)
  order({ silence: true })
  await calls.hangUpAll()
}

const idle = await postgres.costsOf(() => sleep(idleMs))

const figures = async (count: number, to: string) => {
  const turnsBefore = stage.endpoint.ofType('user_speak').length
  const costs = await postgres.costsOf(() => holdCalls(count, to))
  const each = (what: 'statements' | 'transactions' | 'cpuMs' | 'walBytes'): number =>
    rounded((costs[what] - (idle[what] / idle.seconds) * costs.seconds) / count, 1)
  if (listsKinds) list(costs, count)
  return {
    calls: count,
    turns: rounded((stage.endpoint.ofType('user_speak').length - turnsBefore) / count, 1),
    statements: each('statements'),
    transactions: each('transactions'),
    cpuMs: each('cpuMs'),
    walBytes: each('walBytes'),
  }
}

const list = ({ kinds }: Costs, count: number): void => {
  for (const [query, calls] of [...kinds].toSorted((a, b) => b[1] - a[1]))
    console.error((calls / count).toFixed(2).padStart(8), query.replaceAll(/\s+/g, ' ').slice(0, 180))
}

if (listsKinds) list(idle, 1)
const results = {
  assistant: await figures(1, number),
  assistants: await figures(concurrency, number),
  bridged: await figures(1, line),
  bridges: await figures(concurrency, line),
}
await scope.end()
const perSecond = (what: 'statements' | 'transactions' | 'cpuMs'): number => rounded(idle[what] / idle.seconds, 2)
console.log(
  JSON.stringify({
    bench: 'postgres-calls',
    seconds: callMs / 1000,
    ...results,
    idlePerSecond: { statements: perSecond('statements'), transactions: perSecond('transactions'), cpuMs: perSecond('cpuMs') },
  }),
)
