import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { readPage } from '#core/telephone/timeline/read-timeline.ts'

const entriesOf = async ({ timelines, store, changes }: Exchange, { accountId, userId }: Customer) => {
  await timelines.flush()
  const reader = { caller: { kind: 'user', accountId, userId, admin: true, scopes: ['all'], tokenId: '' }, locale: 'en_US' } as const
  const { items } = await readPage(store, reader, changes[0]?.[1].callId ?? '', { after: 0, limit: 100 })
  return items
}

for (const database of databases) {
  test(`${database}: notes the quality of the legs at the end of the call, although it arrives later`, async (t) => {
    const exchange = await openExchange(t, { database, keepsTimelines: true })
    const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
    const caller = await exchange.callFrom(bob, ada.number)
    const { phone } = exchange
    const late = Promise.withResolvers<Awaited<typeof caller.quality>>()
    caller.quality = late.promise
    phone.quality = Promise.resolve(undefined)
    phone.answers()
    await exchange.rest()
    caller.hangsUp()
    await exchange.rest()
    const heard = { packetsReceived: 90, packetsLost: 10, jitterMs: 1, worst: { at: 5, durationMs: 3_000, lossPercent: 12 } }
    late.resolve(heard)
    await exchange.rest()
    const [ofAda, ofBob] = [await entriesOf(exchange, ada), await entriesOf(exchange, bob)]
    assert.partialDeepStrictEqual(ofAda.at(-1), { kind: 'quality', of: 'caller', ...heard })
    assert.partialDeepStrictEqual(ofBob.at(-1), { kind: 'quality', of: 'caller', deviceId: bob.deviceId, ...heard })
    assert.equal(ofAda.filter(({ kind }) => kind === 'quality').length, 1)
    assert.ok(!('deviceId' in (ofAda.at(-1) ?? {})), 'only its own account learns which phone it is')
    assert.equal((await exchange.store.read.timelines.find(ada.accountId, ofAda[0]?.callId ?? ''))?.closedAt === undefined, false)
  })
}
