import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { bothDatabases, openTestDatabase } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { charge } from '#core/money/charge.ts'
import { adjust, topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import { reserveCall, settleCall } from '#core/money/reservations.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

const useMoney = async (store: Store, clock: VirtualClock): Promise<string> => {
  const accountId = await store.write(async (tables) => {
    const tariffId = await openTariff(tables, clock, { currency: 'EUR' })
    const id = await createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR', tariffId })
    await topUp(tables, clock, { accountId: id, amount: 100_000, reason: 'cash', idempotencyKey: '1', actor: 'test' })
    await adjust(tables, clock, { accountId: id, amount: -7, reason: 'rounding', idempotencyKey: '1', actor: 'test' })
    await charge(tables, clock, { accountId: id, service: 'SIM', units: 1, sessionId: randomUUID(), reason: 'SIM order' })
    const sessionId = randomUUID()
    await reserveCall(tables, clock, {
      payer: { id, tariffId, country: 'DE' },
      sessionId,
      purpose: 'CALL',
      destinations: ['+4921163554444'],
    })
    await settleCall(tables, clock, { accountId: id, sessionId, seconds: [10] })
    return id
  })
  return accountId
}

for (const database of bothDatabases) {
  test(`${database}: every ledger entry has two postings that cancel out, and the balance is their sum`, async (t) => {
    const { store, query } = await openTestDatabase(t, database)
    const accountId = await useMoney(store, new VirtualClock())
    const entries = await query('select entry_id, count(*) as sides, sum(amount) as total from ledger_posting group by entry_id')
    assert.equal(entries.length, 4)
    for (const entry of entries) assert.deepEqual([Number(entry.sides), Number(entry.total)], [2, 0])
    const books = await query('select book, sum(amount) as total from ledger_posting group by book order by book')
    assert.deepEqual(
      books.map(({ book, total }) => [book, Number(total)]),
      [
        ['adjustments', 7],
        ['balance', 100_000 - 7 - 49_500 - 190],
        ['payments', -100_000],
        ['revenue', 49_500 + 190],
      ],
    )
    assert.equal((await store.read.balances.find(accountId))?.amount, 100_000 - 7 - 49_500 - 190)
    const lopsided = { key: 'x', reason: '', actor: 'test', at: 0, postings: [{ book: 'balance', amount: 5 } as const] }
    await assert.rejects(
      store.write(({ balances }) => balances.book(accountId, lopsided)),
      /does not balance/,
    )
  })

  test(`${database}: ledger and audit log reject every change`, async (t) => {
    const { store, query } = await openTestDatabase(t, database)
    await useMoney(store, new VirtualClock())
    const attempts = [
      `update ledger_entry set reason = 'gift'`,
      'delete from ledger_entry',
      'update ledger_posting set amount = amount + 1',
      'delete from ledger_posting',
      `update audit set actor = 'nobody'`,
      'delete from audit',
      ...(database === 'postgres' ? ['truncate ledger_posting', 'truncate audit'] : []),
    ]
    await query(`update ledger_entry set number = 'erased-1', reason = 'erased'`)
    await query(`update audit set detail = '"erased"'`)
    attempts.push(`update ledger_entry set number = 'erased', units = 7`, `update audit set detail = '"erased"', at = 1`)
    const before = await query('select * from ledger_posting order by id')
    for (const attempt of attempts) await assert.rejects(query(attempt), /is append-only/, attempt)
    assert.deepEqual(await query('select * from ledger_posting order by id'), before)
    await assert.rejects(query('update balance set reserved = amount + 1'), 'no more can be reserved than there is')
  })
}
