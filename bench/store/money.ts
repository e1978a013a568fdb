import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { realClock } from '#adapters/clock/clocks.ts'
import { postgresStore } from '#adapters/store/postgres-store.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import { reserveCall, settleCall } from '#core/money/reservations.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { startPostgres } from '#test/store/postgres.ts'

/**
 * 1,000 calls request a reservation concurrently with a balance for 100 of them; each admitted one is charged. On both databases exactly 100 are
 * admitted, the ledger equals the balance and no reservation remains; the times show the cost. The databases use the service's settings, so every
 * result was on disk (SQLite with synchronous FULL, PostgreSQL with its defaults).
 */
const spenders = 1_000
const affordable = 100
const destination = '+4921163554444'
const price = 190

const clock = realClock()

interface Figures {
  admitted: number
  reserveMs: number
  settleMs: number
}

const measure = async (store: Store): Promise<Figures> => {
  const payer = await store.write(async (tables) => {
    const tariffId = await openTariff(tables, clock, { currency: 'EUR' })
    const id = await createAccount(tables, clock, { company: 'Bench', country: 'DE', locale: 'en_US', currency: 'EUR', tariffId })
    await topUp(tables, clock, { accountId: id, amount: affordable * price, reason: 'bench', idempotencyKey: 'bench', actor: 'bench' })
    await tables.limits.set(id, { perDay: affordable * price })
    return { id, tariffId, country: 'DE' }
  })
  const sessions = Array.from({ length: spenders }, () => randomUUID())
  const startedAt = performance.now()
  const asked = await Promise.allSettled(
    sessions.map((sessionId) =>
      store.write((tables) => reserveCall(tables, clock, { payer, sessionId, purpose: 'CALL', destinations: [destination] })),
    ),
  )
  const reserved = performance.now()
  const admitted = sessions.filter((_, i) => asked[i]?.status === 'fulfilled')
  await Promise.all(
    admitted.map((sessionId) => store.write((tables) => settleCall(tables, clock, { accountId: payer.id, sessionId, seconds: [60] }))),
  )
  const settled = performance.now()
  await hold(store, payer.id, admitted.length)
  return { admitted: admitted.length, reserveMs: Math.round(reserved - startedAt), settleMs: Math.round(settled - reserved) }
}

/** Fails if money was lost: the figures would be meaningless. */
const hold = async (store: Store, accountId: string, admitted: number): Promise<void> => {
  assert.equal(admitted, affordable)
  const balance = await store.read.balances.find(accountId)
  const entries = await store.read.balances.listEntries(accountId, { limit: spenders })
  assert.equal(entries.length, 1 + affordable)
  assert.equal(
    entries.reduce((sum, entry) => sum + entry.amount, 0),
    balance?.amount,
  )
  assert.deepEqual([balance?.amount, balance?.reserved], [0, 0])
}

const closing = async (store: Store): Promise<Figures> => {
  try {
    return await measure(store)
  } finally {
    await store.close()
  }
}

const folder = await mkdtemp(join(tmpdir(), 'offhook-bench-'))
const postgres = await startPostgres()
try {
  const sqlite = await closing(await sqliteStore(join(folder, 'bench.db')))
  const pg = await closing(await postgresStore(postgres.url))
  console.log(JSON.stringify({ bench: 'money', spenders, affordable, sqlite, postgres: pg }))
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
