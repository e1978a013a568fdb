import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient, type Client } from '@offhook/sdk'
import { startPostgres } from '#test/store/postgres.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startChild } from '../shared/child.ts'
import { inScope, openScope } from '../shared/scope.ts'

/**
 * Kills the service with SIGKILL while many clients book payments concurrently, repeatedly on the same data.
 * After the restart the ledger must contain every acknowledged payment exactly once and equal the balance.
 */
const rounds = 50
const clients = 16
const amount = 7

interface FirstRun {
  accountId: string
  operator: { token: string }
}

interface Tally {
  acknowledged: number
  lost: number
  twice: number
  unbalanced: number
}

const bin = join(import.meta.dirname, '../../bin/offhook.mjs')

/** Seeded, so that a bad run can be repeated. */
const randomFrom = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

const payUntilKilled = async (api: Client, accountId: string, round: number, acknowledged: Set<string>): Promise<void> => {
  let n = 0
  const client = async (): Promise<void> => {
    for (;;) {
      const idempotencyKey = `${round}-${n++}`
      try {
        await api.topUpBalance({ accountId }, { amount, reason: idempotencyKey, idempotencyKey })
      } catch {
        return
      }
      acknowledged.add(idempotencyKey)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** All payments in the ledger, and the balance. */
const audit = async (api: Client, accountId: string): Promise<{ reasons: string[]; sum: number; balance: number }> => {
  const reasons: string[] = []
  let sum = 0
  let before: number | undefined
  for (;;) {
    const page = await api.readBalance({ accountId, limit: 1000, ...(before !== undefined && { before }) })
    for (const entry of page.items) {
      sum += entry.amount
      reasons.push(entry.reason)
    }
    before = page.items.at(-1)?.position
    if (page.items.length < 1000) return { reasons, sum, balance: page.amount }
  }
}

const crashLoop = async (name: string, database: Record<string, string>): Promise<void> => {
  const scope = openScope()
  const data = await temporaryFolder(scope)
  const environment = {
    OFFHOOK_HTTP: '127.0.0.1:0',
    OFFHOOK_SIP: '127.0.0.1:0',
    OFFHOOK_DATA: data,
    OFFHOOK_RATE_LIMIT: '0',
    OFFHOOK_LOG: 'fatal',
    ...database,
  }
  const random = randomFrom(4711)
  const acknowledged = new Set<string>()
  const tally: Tally = { acknowledged: 0, lost: 0, twice: 0, unbalanced: 0 }
  const started = performance.now()
  for (let round = 0; round <= rounds; round++) {
    const child = await startChild([bin, 'serve'], environment)
    const first = JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as FirstRun
    const api = createClient({ baseUrl: String(child.ready.http), token: first.operator.token })
    const { reasons, sum, balance } = await audit(api, first.accountId)
    const present = new Set(reasons)
    tally.lost += [...acknowledged].filter((key) => !present.has(key)).length
    tally.twice += reasons.length - present.size
    if (sum !== balance) tally.unbalanced++
    if (round === rounds) {
      await child.stop()
      break
    }
    const killed = new Promise((resolve) => setTimeout(resolve, 30 + random() * 250)).then(() => child.stop('SIGKILL'))
    await payUntilKilled(api, first.accountId, round, acknowledged)
    await killed
  }
  tally.acknowledged = acknowledged.size
  await scope.end()
  const seconds = Math.round((performance.now() - started) / 100) / 10
  console.log(JSON.stringify({ bench: 'crash', what: 'kill -9 during payments', database: name, rounds, ...tally, seconds }))
}

await crashLoop('sqlite', {})
await inScope(async (scope) => {
  const postgres = await startPostgres()
  scope.after(() => postgres.stop())
  await crashLoop('postgres', { DATABASE_URL: postgres.url })
})
