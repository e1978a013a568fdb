import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { openShop } from '#test/money/scripted-shop.ts'
import { bothDatabases, openTestDatabase } from '#test/store/databases.ts'
import { addMonths, localMonth, startOfDay } from '#core/kernel/local-day.ts'
import { setBilling } from './billing.ts'
import { csvOf } from './print/statement-csv.ts'
import { pdfOf } from './print/statement-pdf.ts'
import { hashOf, readStatement } from './statement.ts'
import { statementSweep } from './statement-sweep.ts'

const hour = 3_600_000
const mobile = '+4915112345678'

/** Texts of a PDF written by us. */
const textsIn = (pdf: Uint8Array): string[] =>
  [
    ...Buffer.from(pdf)
      .toString('latin1')
      .matchAll(/<([0-9a-f]*)> Tj/g),
  ].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))

for (const database of bothDatabases) {
  test(`${database}: writes one immutable statement per past month, identical in PDF and CSV`, async (t) => {
    const { store, query } = await openTestDatabase(t, database)
    const clock = new VirtualClock()
    const month = localMonth(clock.now(), 'UTC')
    const nextMonth = async (nth: number) => clock.advance(startOfDay(`${addMonths(month, nth)}-01`, 'UTC') + hour - clock.now())
    const shops = [await openShop(store, clock), await openShop(store, clock)] as const
    const sweep = statementSweep(store, clock)
    const [{ accountId }] = shops
    await shops[0].pay(100_000)
    await shops[1].pay(100_000)
    await shops[0].call(mobile, 61)
    await sweep.work()
    assert.deepEqual(await store.read.statements.list(accountId), [], 'it is not over')

    await nextMonth(1)
    await shops[0].call(mobile, 30)
    await sweep.work()
    await sweep.work()
    const [stored, ...others] = await store.read.statements.list(accountId)
    assert.ok(stored && others.length === 0)
    const statement = readStatement(stored)
    assert.deepEqual([statement.opening, statement.spent, statement.closing, statement.kind], [0, 990, 99_010, 'STATEMENT'])
    assert.deepEqual(
      statement.lines.map(({ type, calls, minutes, amount }) => [type, calls, minutes, amount]),
      [
        ['CALL', 1, 1, -990],
        ['PAYMENT', 0, 0, 100_000],
      ],
    )
    assert.equal(stored.hash, hashOf({ ...stored, accountId }))
    await assert.rejects(query('update statement set number = 7'), /append-only/)

    const rows = csvOf(statement).split('\r\n').slice(1, -1)
    const amounts = rows.map((row) => Number(row.split(',')[5]))
    assert.deepEqual(amounts, [0, -0.099, 10, 9.901])
    const printed = textsIn(await pdfOf(statement, 'en_US')).filter((text) => text.includes('\x80'))
    assert.deepEqual(
      printed.map((text) => Number(text.replace('\x80', ''))),
      amounts,
    )

    const seller = { sellerName: 'Phones Ltd', sellerAddress: 'High St 1', taxId: 'X1', taxPercent: 19 }
    await store.write((tables) => setBilling(tables, seller))
    await shops[1].call(mobile, 30)
    await nextMonth(2)
    await sweep.work()
    const all = (await Promise.all(shops.map((shop) => store.read.statements.list(shop.accountId)))).flat()
    const numbers = (kind: string) =>
      all
        .filter((one) => one.kind === kind)
        .map(({ number }) => number)
        .toSorted((a, b) => a - b)
    assert.deepEqual(
      [numbers('STATEMENT'), numbers('INVOICE')],
      [
        [1, 2],
        [1, 2],
      ],
    )
    const invoice = readStatement((await store.read.statements.list(accountId))[0] ?? stored)
    assert.deepEqual([invoice.kind, invoice.opening, invoice.spent, invoice.tax?.amount], ['INVOICE', 99_010, 990, 158])
  })
}
