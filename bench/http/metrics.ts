import { setTimeout as pause } from 'node:timers/promises'
import { sipp } from '#test/peers/sipp.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { cpuSeconds } from '../shared/child.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Cost of /metrics: one scrape, an idle process, and a call. Two services alternate in short turns, one with the page and one without, so that
 * other load affects both.
 */
const scrapes = 300
const idleMs = 15_000
const turns = 10
const callsPerTurn = 100
const carrier = '127.0.0.2'
const token = 'bench'

const scope = openScope()

const pidOf = ({ program }: Exchange): number => program.child.pid ?? -1

const scrape = async ({ http }: Exchange): Promise<string> =>
  (await fetch(`${http}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()

/** CPU milliseconds of the service for this work. */
const cost = async (exchange: Exchange, work: () => Promise<unknown>): Promise<number> => {
  const before = cpuSeconds(pidOf(exchange))
  await work()
  return (cpuSeconds(pidOf(exchange)) - before) * 1000
}

const call = async (exchange: Exchange, calls: number): Promise<void> => {
  const { failed } = await sipp(scope, {
    scenario: 'uac',
    target: exchange.sip,
    service: exchange.demoNumber,
    address: carrier,
    calls,
    rate: 50,
  })
  if (failed > 0) throw new Error(`${failed} calls failed`)
}

/** Mean of the lower half: other load on the machine only adds. */
const quiet = (values: readonly number[]): number => {
  const half = values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length / 2))
  return half.reduce((sum, value) => sum + value, 0) / half.length
}

const rounded = (value: number): number => Number(value.toFixed(3))

try {
  const settings = { OFFHOOK_LOG: 'error', OFFHOOK_RATE_LIMIT: '0' }
  const measured = await startExchange(scope, { ...settings, OFFHOOK_METRICS_TOKEN: token })
  const plain = await startExchange(scope, settings)
  for (const exchange of [measured, plain]) {
    await exchange.newTrunk(carrier)
    await call(exchange, 300)
  }
  const perCall = { measured: [] as number[], plain: [] as number[] }
  const pair = [
    ['measured', measured],
    ['plain', plain],
  ] as const
  for (let turn = 0; turn < turns; turn++)
    for (const [name, exchange] of turn % 2 === 0 ? pair : pair.toReversed())
      perCall[name].push((await cost(exchange, () => call(exchange, callsPerTurn))) / callsPerTurn)
  const text = await scrape(measured)
  const scraping = await cost(measured, async () => {
    for (let n = 0; n < scrapes; n++) await scrape(measured)
  })
  await pause(idleMs) // lets timers of ended calls expire
  const idle = await Promise.all([measured, plain].map((exchange) => cost(exchange, () => pause(idleMs))))
  console.log(
    JSON.stringify({
      bench: 'metrics',
      families: text.match(/^# TYPE /gm)?.length,
      bytes: text.length,
      cpuMsPerScrape: rounded(scraping / scrapes),
      idleCpuMsPerSecond: { measured: rounded(((idle[0] ?? 0) * 1000) / idleMs), plain: rounded(((idle[1] ?? 0) * 1000) / idleMs) },
      cpuMsPerCall: { measured: rounded(quiet(perCall.measured)), plain: rounded(quiet(perCall.plain)) },
      ratio: rounded(quiet(perCall.measured) / quiet(perCall.plain)),
    }),
  )
} finally {
  await scope.end()
}
