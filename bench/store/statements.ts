import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { sipp, startSipp } from '#test/peers/sipp.ts'
import { startExchange } from '#test/service/exchange.ts'
import { percentile, rounded } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'
import type { StoreWatch } from './store-watch.ts'

/**
 * Store work of a call (SQLite): statements and commits, counted below the service by store-watch.ts; how long they block a turn of the main thread,
 * and the delay of that thread from all causes. Commits depend on the rate, because calls share them.
 * `node bench/store/statements.ts [calls per second …]`.
 */
const rates = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [25, 50]
if (rates.some((rate) => !(rate >= 1 && rate <= 100))) throw new Error(`${process.argv.slice(2).join(' ')}: calls per second from 1 to 100`)
const warmUp = 200
const seconds = 10
const carrier = '127.0.0.2'
/** Records are written shortly after a call. */
const settleMs = 1_500

const scope = openScope()

try {
  const file = join(await temporaryFolder(scope), 'seen.json')
  const exchange = await startExchange(scope, {
    OFFHOOK_RATE_LIMIT: '0',
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'store-watch.ts')}`,
    BENCH_STORE_WATCH: file,
  })
  await exchange.newTrunk(carrier)
  const phone = await startSipp(scope, { scenario: 'uas', calls: 1_000_000 })
  const bridgedNumber = await exchange.numberOf(scope, phone)

  const seen = async (): Promise<StoreWatch> => {
    await rm(file, { force: true })
    exchange.program.child.kill('SIGUSR2')
    return JSON.parse(await until('what the store did', () => readFile(file, 'utf8').catch(() => undefined))) as StoreWatch
  }

  const call = async (service: string, calls: number, rate: number): Promise<void> => {
    const { failed } = await sipp(scope, {
      scenario: 'uac',
      target: exchange.sip,
      address: carrier,
      concurrent: 1000,
      service,
      calls,
      rate,
    })
    if (failed > 0) throw new Error(`${failed} of ${calls} calls failed`)
    await sleep(settleMs)
  }

  const figuresOf = async (service: string, rate: number) => {
    const calls = rate * seconds
    await seen()
    await call(service, calls, rate)
    const { statements, commits, holdMs, late } = await seen()
    return {
      statements: rounded(statements / calls, 2),
      commits: rounded(commits / calls, 2),
      heldByStoreMs: { p50: percentile(holdMs, 0.5), p99: percentile(holdMs, 0.99), perCall: rounded(sum(holdMs) / calls, 2) },
      mainThreadLateMs: { p50: rounded(late.p50, 2), p99: rounded(late.p99, 2) },
    }
  }

  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

  await sleep(settleMs)
  await seen()
  await sleep(seconds * 1000)
  const idle = await seen()
  for (const service of [bridgedNumber, exchange.demoNumber]) await call(service, warmUp, 50)
  const figures = []
  for (const rate of rates)
    figures.push({ rate, bridged: await figuresOf(bridgedNumber, rate), assistant: await figuresOf(exchange.demoNumber, rate) })
  console.log(JSON.stringify({ bench: 'statements', idleStatementsPerSecond: idle.statements / seconds, figures }))
} finally {
  await scope.end()
}
