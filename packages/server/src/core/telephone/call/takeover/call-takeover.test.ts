import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases } from '#test/store/databases.ts'
import { openTalk, price, talkOutside } from '#test/routing/lost-calls.ts'
import { openExchange } from '#test/routing/scripted-exchange.ts'
import { openSecond } from '#test/routing/second-process.ts'
import { talking } from '#test/routing/transfers.ts'

for (const database of bothDatabases) {
  test(`${database}: takes a call over: charged once, one history entry, the phones stay connected`, async (t) => {
    const { exchange, ada, caller, far } = await openTalk(t, database)
    await exchange.seconds(70)
    exchange.crash()
    const second = openSecond(t, exchange)
    await second.exchange.seconds(1.2)
    await second.takeOver()
    const [first, other] = second.exchange.telephony.resumed
    assert.deepEqual([first?.id, other?.id], [caller.id, far.id])
    assert.deepEqual(first?.hears, [other])
    assert.deepEqual(second.exchange.telephony.byes, [])
    await second.exchange.seconds(60)
    assert.deepEqual((await second.exchange.history(ada)).length, 0)
    other?.hangsUp()
    await second.exchange.rest()
    const { detail } = await second.exchange.entry(ada)
    assert.equal(detail.duration, 133)
    assert.deepEqual(await second.exchange.money(ada), { spent: 3 * price, reserved: 0 })
    assert.ok(first?.over)
    assert.deepEqual(
      second.exchange.changes.map(([what]) => what),
      ['resumed', 'ended'],
    )
    await second.assertClean()
  })

  test(`${database}: leaves the calls to a node that meanwhile renews its lease without the mark`, async (t) => {
    const { exchange, caller } = await openTalk(t, database)
    const { owner } = exchange.leases
    const until = exchange.clock.now() + 15_000
    await exchange.store.write(({ leases }) => leases.renew({ owner, until, doubtMs: 2_000 }))
    const second = openSecond(t, exchange)
    const done = second.takeover.ofSilent(owner, { aliveAt: exchange.clock.now(), share: 1 })
    await second.exchange.seconds(1)
    await exchange.store.write(({ leases }) => leases.renew({ owner, until: until + 1_000, doubtMs: 0 }))
    await second.exchange.seconds(6)
    await done
    assert.deepEqual(second.exchange.telephony.resumed, [])
    assert.equal((await exchange.store.read.runningCalls.listOf(owner, 9)).length, 1)
    caller.hangsUp()
    await exchange.rest()
  })

  test(`${database}: drops calls that others have taken without signalling when a suspended node wakes up`, async (t) => {
    const { exchange, ada, caller, far } = await openTalk(t, database)
    await exchange.seconds(20)
    const second = openSecond(t, exchange)
    await second.takeOver()
    const said = [caller.log.length, far.log.length]
    const changes = exchange.changes.length
    await exchange.callRouter.review()
    await exchange.rest()
    assert.deepEqual([caller.log.slice(said[0]), far.log.slice(said[1])], [['abandon'], ['abandon']])
    assert.equal(exchange.callRouter.size, 0)
    assert.equal(exchange.leases.size, 0)
    assert.deepEqual(
      exchange.changes.slice(changes).map(([what]) => what),
      ['taken'],
    )
    assert.deepEqual(exchange.calls.list({ kind: 'user', ...ada, admin: true, scopes: ['all'], tokenId: 'x' }), [])
    await exchange.seconds(400)
    assert.deepEqual(await exchange.history(ada), [])
    await second.exchange.seconds(8)
    second.exchange.telephony.resumed[0]?.hangsUp()
    await second.exchange.rest()
    assert.equal((await second.exchange.entry(ada)).detail.duration, 30)
    assert.deepEqual(await second.exchange.money(ada), { spent: price, reserved: 0 })
    await second.assertClean()
  })

  test(`${database}: neither extends nor settles the charges of a lost call, and does not end it on a media timeout`, async (t) => {
    const { exchange, ada, caller, far } = await openTalk(t, database)
    await exchange.seconds(20)
    const second = openSecond(t, exchange)
    await second.takeOver()
    far.dies('media_timeout')
    await exchange.rest()
    assert.deepEqual(caller.log.at(-1), 'abandon')
    const other = await talkOutside(exchange, ada)
    await second.takeOver()
    await exchange.seconds(52)
    assert.deepEqual(other.caller.log.at(-1), 'abandon', 'the money was asked for')
    assert.deepEqual(exchange.failures, [])
    for (const leg of second.exchange.telephony.resumed) leg.hangsUp()
    await second.exchange.rest()
    assert.equal((await second.exchange.history(ada)).length, 2)
    assert.deepEqual(await second.exchange.money(ada), { spent: 2 * price, reserved: 0 })
  })

  test(`${database}: hangs up the other phone and ends the call at the time of the crash when one phone cannot be resumed`, async (t) => {
    for (const reason of ['gone', 'refused', 'impossible', 'full'] as const) {
      const { exchange, ada, caller, far } = await openTalk(t, database)
      await exchange.seconds(12)
      exchange.crash()
      const second = openSecond(t, exchange)
      second.exchange.telephony.notResumed.set(far.id, reason)
      await second.exchange.seconds(1.2)
      await second.takeOver()
      assert.deepEqual(
        second.exchange.telephony.resumed.map(({ id, over }) => [id, over?.cause]),
        [[caller.id, 'failed']],
      )
      assert.deepEqual(second.exchange.telephony.byes, reason === 'impossible' || reason === 'full' ? [far.id] : [])
      assert.equal((await second.exchange.entry(ada)).detail.duration, 12)
      assert.deepEqual(await second.exchange.money(ada), { spent: price, reserved: 0 })
      await second.assertClean()
    }
  })

  test(`${database}: ends a call as its party did that hung up during the takeover`, async (t) => {
    for (const [at, reason] of (['caller_hangup', 'callee_hangup'] as const).entries()) {
      const { exchange, ada, caller, far } = await openTalk(t, database)
      await exchange.seconds(12)
      exchange.crash()
      const second = openSecond(t, exchange)
      second.exchange.telephony.notResumed.set([caller, far][at]?.id ?? '', 'hung_up')
      await second.exchange.seconds(1.2)
      await second.takeOver()
      const [left] = second.exchange.telephony.resumed
      assert.deepEqual([left?.id, left?.over?.cause], [[far, caller][at]?.id, 'normal'])
      assert.deepEqual(second.exchange.telephony.byes, [])
      assert.deepEqual(second.ends, [reason])
      assert.equal((await second.exchange.entry(ada)).detail.duration, 12)
      await second.assertClean()
    }
  })

  test(`${database}: shares the calls of a dead node among three nodes; each call is resumed once`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    for (let nth = 0; nth < 9; nth++) await talkOutside(exchange, ada)
    await exchange.seconds(20)
    exchange.crash()
    const others = [openSecond(t, exchange), openSecond(t, exchange), openSecond(t, exchange)]
    await Promise.all(others.map((other) => other.takeOver()))
    const resumed = others.flatMap((other) => other.exchange.telephony.resumed)
    assert.equal(resumed.length, 18)
    assert.equal(new Set(resumed.map(({ id }) => id)).size, 18)
    for (const leg of resumed) leg.hangsUp()
    for (const other of others) await other.exchange.rest()
    assert.equal((await exchange.store.read.history.list(ada.accountId, {}, { offset: 0, limit: 100 })).length, 9)
    for (const other of others) await other.assertClean()
  })
}

test('ends calls that were ringing or being transferred', async (t) => {
  const exchange = await openExchange(t)
  const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
  const { caller, phone: desk } = await talking(exchange, ada)
  desk.asksTransfer({ dialled: bob.number })
  await exchange.seconds(6)
  exchange.crash()
  const second = openSecond(t, exchange)
  await second.takeOver()
  assert.deepEqual(second.exchange.telephony.resumed, [])
  assert.deepEqual(new Set(second.exchange.telephony.byes), new Set([caller.id, desk.id]))
  assert.equal((await second.exchange.history(ada)).length, 1)
  await second.assertClean()
})
