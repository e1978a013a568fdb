import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFaxOffice } from '#test/routing/scripted-fax-office.ts'

test('fails over to another carrier; the first of several fax machines to answer gets the fax', async (t) => {
  const office = await openFaxOffice(t)
  const { exchange } = office
  await exchange.addTrunk({ priority: 200 })
  const ada = await office.newSender()
  await office.send(ada)
  office.leg.refuses('failed', 500)
  await exchange.rest()
  ;(await office.answer(1)).completes()
  await exchange.rest()
  const bob = await office.newSender()
  await exchange.store.write((tables) => exchange.addDevice(tables, bob.accountId, bob.userId))
  const id = await office.send(ada, { recipient: bob.number })
  assert.equal(office.legs.length, 2)
  const [slow, quick] = office.legs
  quick?.answers()
  await exchange.rest()
  assert.deepEqual(slow?.over, { by: 'us', cause: 'answered_elsewhere' })
  quick?.confirms()
  quick?.completes()
  await exchange.rest()
  assert.equal((await office.fax(ada, id)).state, 'SENT')
})

test('waits for a carrier with no free channel without counting an attempt', async (t) => {
  const office = await openFaxOffice(t)
  const { exchange } = office
  const { telephony } = exchange
  const [trunk] = await exchange.store.read.trunks.list()
  assert.ok(trunk)
  telephony.full.add(trunk.id)
  const ada = await office.newSender()
  const id = await office.send(ada)
  await exchange.seconds(3)
  assert.deepEqual([office.legs.length, (await office.fax(ada, id)).state], [0, 'SENDING'])
  await exchange.seconds(300)
  const waiting = await office.fax(ada, id)
  assert.ok(waiting.state === 'SENDING' || waiting.state === 'PENDING', waiting.state)
  assert.equal(waiting.reason, undefined)
  telephony.full.clear()
  await exchange.seconds(20)
  ;(await office.answer(1)).completes()
  await exchange.rest()
  const { state, tries } = await office.fax(ada, id)
  assert.deepEqual([state, tries], ['SENT', 1])
})

test('waits without a failure when no media ports are left, for external and internal faxes', async (t) => {
  const office = await openFaxOffice(t)
  const { exchange } = office
  const [ada, bob] = [await office.newSender(), await office.newSender()]
  exchange.telephony.crowded = true
  const ids = [await office.send(ada), await office.send(ada, { recipient: bob.number })]
  await exchange.seconds(120)
  for (const id of ids) {
    const { state, reason } = await office.fax(ada, id)
    assert.ok(state === 'SENDING' || state === 'PENDING', state)
    assert.equal(reason, undefined)
  }
  exchange.telephony.crowded = false
  await exchange.seconds(20)
  assert.equal(office.legs.length, 2)
  assert.deepEqual(exchange.failures, [])
  for (const leg of office.legs) leg.refuses('busy', 486)
  await exchange.rest()
})
