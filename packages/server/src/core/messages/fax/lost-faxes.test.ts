import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, databases } from '#test/store/databases.ts'
import { recoverParts } from '#test/routing/lost-calls.ts'
import { anotherOffice, minutePrice, openFaxOffice, type FaxOffice } from '#test/routing/scripted-fax-office.ts'
import { clearUser } from '#core/account/accounts/change-user.ts'
import { closeAccount } from '#core/account/accounts/close-account.ts'
import { recoverAll } from '#core/telephone/call/takeover/end-lost-call.ts'
import { text } from '#core/kernel/translations/index.ts'
import { cancelFaxes } from './erasing/cancel-fax.ts'
import { messageCleanUps } from '../clean-ups.ts'
import { eraseFax } from './erasing/erase-fax.ts'

/** Takes over the faxes of the crashed node. */
const takeOver = async (office: FaxOffice): Promise<void> => {
  await recoverAll(recoverParts(office.exchange), office.exchange.leases.owner)
  await office.wake()
}

for (const database of bothDatabases) {
  test(`${database}: resumes after the last confirmed page when another node takes over, and charges once`, async (t) => {
    const office = await openFaxOffice(t, { database })
    const { exchange } = office
    const ada = await office.newSender()
    const id = await office.send(ada, { pages: 3 })
    const first = await office.answer(2, 40)
    await exchange.seconds(10)
    office.crash()
    const next = anotherOffice(t, office)
    await next.exchange.seconds(300)
    await takeOver(next)
    assert.deepEqual(next.exchange.telephony.byes, [first.id], 'the fax machine is told that it is over')
    const second = await next.answer(1, 40)
    assert.equal(second.paper && 'firstPage' in second.paper && second.paper.firstPage, 2)
    second.completes()
    await next.exchange.rest()
    const fax = await next.fax(ada, id)
    assert.deepEqual([fax.state, fax.tries, fax.pagesDone, fax.talkSeconds], ['SENT', 2, 3, 90 + 40])
    assert.deepEqual(await next.exchange.money(ada), { spent: 3 * minutePrice, reserved: 0 })
    assert.deepEqual(await exchange.store.read.leases.listOthers(next.exchange.leases.owner), [])
    await takeOver(next)
    assert.equal(next.legs.length, 0, 'once')
    assert.deepEqual([...exchange.failures, ...next.exchange.failures], [])
  })

  test(`${database}: hangs up and stops writing when another node has taken the fax over`, async (t) => {
    const office = await openFaxOffice(t, { database })
    const ada = await office.newSender()
    const id = await office.send(ada, { pages: 2 })
    const lost = await office.answer()
    const next = anotherOffice(t, office)
    await takeOver(next)
    const taken = await next.answer(1)
    lost.confirms()
    lost.confirms()
    await office.exchange.seconds(15)
    assert.ok(lost.over)
    assert.equal((await next.fax(ada, id)).pagesDone, 1)
    taken.confirms()
    taken.completes()
    await next.exchange.rest()
    const { state, tries } = await next.fax(ada, id)
    assert.deepEqual([state, tries], ['SENT', 2])
    assert.equal((await next.exchange.money(ada)).reserved, 0)
  })
}

for (const database of databases) {
  test(`${database}: hangs up at shutdown and resumes in the next run without counting an attempt`, async (t) => {
    const office = await openFaxOffice(t, { database })
    const ada = await office.newSender()
    const id = await office.send(ada, { pages: 2 })
    const leg = await office.answer(1)
    const drained = office.sender.drain(20_000)
    await office.send(ada)
    assert.equal(office.legs.length, 1, 'none is begun')
    await office.exchange.seconds(20)
    await drained
    assert.equal(leg.over, undefined)
    await office.close()
    assert.ok(leg.over)
    const { state, tries, pagesDone, owner } = await office.fax(ada, id)
    assert.deepEqual([state, tries, pagesDone, owner], ['PENDING', 0, 1, undefined])
    assert.equal((await office.entry(ada, id)).detail.faxStatusType, 'PENDING')
    const next = anotherOffice(t, office)
    await next.exchange.seconds(55)
    assert.equal(next.legs.length, 2)
    for (const one of next.legs) {
      one.answers()
      await next.exchange.rest()
      one.confirms()
      one.completes()
    }
    await next.exchange.rest()
    assert.deepEqual(
      (await next.exchange.history(ada)).map(({ detail }) => detail.faxStatusType),
      ['SENT', 'SENT'],
    )
    assert.equal((await next.exchange.money(ada)).reserved, 0)
  })

  test(`${database}: cancels faxes of a removed line, user or account and releases their reservations`, async (t) => {
    const office = await openFaxOffice(t, { database })
    const { exchange } = office
    const { store, clock } = exchange
    const parts = { clock, cleanups: messageCleanUps(clock) }
    const ada = await office.newSender()
    const waits = await office.send(ada)
    office.leg.refuses('busy', 486)
    await exchange.rest()
    const runs = await office.send(ada, { pages: 2 })
    const leg = await office.answer(1)
    await store.write(async (tables) => {
      for (const { id } of await tables.numbers.list(ada.accountId)) await tables.numbers.setRouting(ada.accountId, id, {})
      await clearUser(tables, parts, ada.accountId, ada.userId)
    })
    assert.deepEqual([(await office.fax(ada, waits)).state, leg.over], ['FAILED', undefined])
    await exchange.seconds(15)
    assert.ok(leg.over, 'hung up as soon as it was checked')
    for (const id of [waits, runs]) {
      const { faxStatusType, faxReason } = (await office.entry(ada, id)).detail
      assert.deepEqual([faxStatusType, faxReason], ['FAILED', text('en_US', 'fax.reason.cancelled')])
    }
    assert.deepEqual(await exchange.money(ada), { spent: minutePrice, reserved: 0 }, '45 seconds')
    const bob = await office.newSender()
    await office.send(bob)
    office.leg.refuses('busy', 486)
    await exchange.rest()
    await store.write((tables) => closeAccount(tables, parts, bob.accountId))
    await exchange.seconds(3600)
    assert.equal(exchange.telephony.faxed.length, 3)
    assert.deepEqual(await exchange.money(bob), { spent: 0, reserved: 0 })
    assert.deepEqual(exchange.failures, [])
  })

  test(`${database}: hangs up and charges when a fax is erased while being sent`, async (t) => {
    const office = await openFaxOffice(t, { database })
    const { exchange } = office
    const ada = await office.newSender()
    const id = await office.send(ada, { pages: 2 })
    const leg = await office.answer(1, 70)
    await exchange.store.write(async (tables) => {
      await eraseFax(tables, exchange.clock, { accountId: ada.accountId, id })
      await tables.history.remove(ada.accountId, id)
    })
    await exchange.seconds(15)
    assert.ok(leg.over)
    assert.deepEqual(await exchange.money(ada), { spent: 2 * minutePrice, reserved: 0 })
    assert.deepEqual(await exchange.history(ada), [])
    await exchange.store.write((tables) => cancelFaxes(tables, exchange.clock, [{ accountId: ada.accountId, id }]))
    await exchange.seconds(3600)
    assert.equal(exchange.telephony.faxed.length, 1)
    assert.deepEqual(exchange.failures, [])
  })
}
