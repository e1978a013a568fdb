import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFaxOffice } from '../../../../../test/support/scripted-fax-office.ts'

test('another carrier is tried when one cannot, and of several fax machines the first that answers gets it', async (t) => {
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
