// test: chance
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openFaxOffice, type FaxOffice } from '#test/routing/scripted-fax-office.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'

const minute = 60_000
const isOver = ({ state }: Fax): boolean => state === 'SENT' || state === 'FAILED'

/**
 * Sends a fax of two pages whose far end hangs up after the first; the request with this number fails once. Returns the requests
 * to store and phones.
 */
const sendWithMisfortune = async (office: FaxOffice, failAt: number | undefined, loseAnswer: boolean): Promise<string[]> => {
  const { exchange } = office
  const { outside, clock, telephony, store } = exchange
  const ada = await office.newSender()
  const before = telephony.faxed.length
  outside.asked.length = 0
  Object.assign(outside, { count: 0, failAt, loseAnswer })
  const id = randomUUID()
  const order = async (): Promise<boolean> => {
    const ordered = await Promise.allSettled([office.send(ada, { pages: 2, id })])
    return ordered[0].status === 'fulfilled'
  }
  // A client without an answer retries.
  if (!(await order())) assert.ok(await order(), `the order is refused a second time (${failAt})`)
  for (let round = 0; round < 40 && !isOver(await office.fax(ada, id)); round++) {
    for (const leg of office.legs) {
      leg.answers()
      await exchange.seconds(20)
      if (leg.paper) leg.confirms()
      await exchange.seconds(5)
      if (telephony.faxed.length === before + 1) leg.hangsUp()
      else leg.completes()
      await exchange.rest()
    }
    if (!isOver(await office.fax(ada, id))) await clock.advance(minute)
  }
  outside.failAt = undefined
  const { state, pagesDone, reason } = await office.fax(ada, id)
  const entries = await exchange.history(ada)
  const booked = (await store.read.balances.listEntries(ada.accountId, { limit: 50 })).filter((one) => one.reason === 'fax')
  const where = `${failAt}: ${outside.asked[(failAt ?? 0) - 1]} (${reason})`
  assert.deepEqual([state, pagesDone, entries.length, booked.length], ['SENT', 2, 1, 1], where)
  assert.equal(entries[0]?.detail.faxStatusType, 'SENT', where)
  assert.equal((await exchange.money(ada)).reserved, 0, where)
  exchange.failures.splice(0)
  return outside.asked.slice()
}

test('delivers and charges a fax once when any request to the store or to phones fails', async (t) => {
  const office = await openFaxOffice(t)
  const asked = await sendWithMisfortune(office, undefined, false)
  assert.ok(asked.length > 30)
  for (const place of asked.keys()) await sendWithMisfortune(office, place + 1, false)
})

test('delivers and charges a fax once when any store write loses its answer', async (t) => {
  const office = await openFaxOffice(t)
  const asked = await sendWithMisfortune(office, undefined, false)
  for (const [place, what] of asked.entries()) if (what === 'write') await sendWithMisfortune(office, place + 1, true)
})
