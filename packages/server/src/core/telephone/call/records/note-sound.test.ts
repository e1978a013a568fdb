import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { readPage } from '#core/telephone/timeline/read-timeline.ts'

const soundsIn = async ({ timelines, store, changes }: Exchange, { accountId, userId }: Customer): Promise<unknown[]> => {
  await timelines.flush()
  const reader = { caller: { kind: 'user', accountId, userId, admin: true, scopes: ['all'], tokenId: '' }, locale: 'en_US' } as const
  const { items } = await readPage(store, reader, changes[0]?.[1].callId ?? '', { after: 0, limit: 100 })
  return items.flatMap((entry) => (entry.kind === 'sound' ? [[entry.state, entry.of, entry.deviceId]] : []))
}

for (const database of databases) {
  test(`${database}: notes missing audio of a phone in the call, with the device for its own account, and at the device`, async (t) => {
    const exchange = await openExchange(t, { database, keepsTimelines: true })
    const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
    const caller = await exchange.callFrom(bob, ada.number)
    const { phone } = exchange
    phone.answers()
    await exchange.rest()
    caller.sounds('unknown_source')
    phone.sounds('nothing')
    await exchange.rest()
    assert.deepEqual(await soundsIn(exchange, ada), [
      ['unknown_source', 'caller', undefined],
      ['nothing', 'callee', ada.deviceId],
    ])
    assert.deepEqual(await soundsIn(exchange, bob), [
      ['unknown_source', 'caller', bob.deviceId],
      ['nothing', 'callee', undefined],
    ])
    const soundOf = async ({ accountId, deviceId }: Customer) => (await exchange.store.read.devices.find(accountId, deviceId))?.sound
    const callId = exchange.changes[0]?.[1].callId
    assert.deepEqual([(await soundOf(ada))?.state, (await soundOf(ada))?.callId], ['nothing', callId])

    phone.sounds('heard')
    caller.hangsUp()
    await exchange.rest()
    assert.equal(await soundOf(ada), undefined, 'it was only late')
    assert.equal((await soundOf(bob))?.state, 'unknown_source')
  })
}
