import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, openTestStore } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { PushExchange } from '#core/kernel/ports/store/push.ts'

const input = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
const newAccount = (store: Store) => store.write((tables) => createAccount(tables, new VirtualClock(), input))

const exchange = (accountId: string, id: string, more: Partial<PushExchange> = {}): PushExchange => ({
  id,
  accountId,
  line: undefined,
  event: 'newCall',
  callId: 'c',
  at: 1000,
  url: 'http://c.example/',
  request: 'event=newCall',
  response: '<Response/>',
  xmlError: undefined,
  status: 200,
  ...more,
})

for (const database of bothDatabases) {
  test(`${database}: lists exchanges of an account latest first, and a sweep keeps the latest`, async (t) => {
    const store = await openTestStore(t, database)
    const [ada, eve] = [await newAccount(store), await newAccount(store)]
    const full = exchange(ada, '4', { line: 'p0', event: 'sound', xmlError: 'no', status: undefined, at: 2_000_000_000_000 })
    const all = ['1', '2', '3'].map((id) => exchange(ada, id))
    await store.write(({ pushExchanges }) => pushExchanges.insert([...all, full, exchange(eve, 'e', { at: 500 }), exchange(eve, 'f')]))
    await store.write(({ pushExchanges }) => pushExchanges.insert([]))
    const ids = async (account: string, limit = 10) => (await store.read.pushExchanges.list(account, { limit })).map(({ id }) => id)
    assert.deepEqual(await ids(ada), ['4', '3', '2', '1'])
    assert.deepEqual(await ids(ada, 2), ['4', '3'])
    assert.deepEqual(await store.read.pushExchanges.list(ada, { line: 'p0', limit: 10 }), [full])
    assert.equal(await store.write(({ pushExchanges }) => pushExchanges.sweep(600, 2)), 3)
    assert.deepEqual([await ids(ada), await ids(eve)], [['4', '3'], ['f']], 'two of each account, and none that is too old')
    assert.equal(await store.write(({ pushExchanges }) => pushExchanges.sweep(600, 2)), 0)
  })

  test(`${database}: knows whether an account has an address for calls in one direction`, async (t) => {
    const store = await openTestStore(t, database)
    const [ada, eve] = [await newAccount(store), await newAccount(store)]
    const directions = async (account: string) => {
      const both = ['in', 'out'] as const
      const has = await Promise.all(both.map((direction) => store.read.pushSettings.hasAddress(account, direction)))
      return both.filter((_, place) => has[place])
    }
    const set = (incomingUrl: string, outgoingUrl: string) =>
      store.write(({ pushSettings }) =>
        pushSettings.save(ada, { incomingUrl, outgoingUrl, log: true, whitelist: undefined, format: 'json' }),
      )
    await set('http://c.example/', '')
    assert.deepEqual(await directions(ada), [], 'it is not booked')
    await store.write(async ({ accounts }) => {
      for (const account of [ada, eve]) await accounts.bookFeature(account, 'SVCIO', 1)
      await accounts.bookFeature(ada, 'FAX', 1)
    })
    assert.deepEqual([await directions(ada), await directions(eve)], [['in'], []])
    await set('', 'http://c.example/')
    assert.deepEqual(await directions(ada), ['out'])
    await set('', '')
    assert.deepEqual(await directions(ada), [])
    await store.write(async ({ phonelines }) => {
      await phonelines.create(ada, { owner: 'w0', alias: 'One', at: 1 })
      const line = await phonelines.create(ada, { owner: 'w0', alias: 'Two', at: 1 })
      await phonelines.update(ada, line, { incomingUrl: 'http://c.example/' })
    })
    assert.deepEqual([await directions(ada), await directions(eve)], [['in'], []])
  })

  test(`${database}: stores the secrets of an account`, async (t) => {
    const store = await openTestStore(t, database)
    const [ada, eve] = [await newAccount(store), await newAccount(store)]
    const secret = (id: string, createdAt: number) => ({ id, sealed: `sealed ${id}`, createdAt, expiresAt: undefined })
    await store.write(async ({ pushSecrets }) => {
      await pushSecrets.insert(ada, secret('a', 1))
      await pushSecrets.expireAll(ada, 10)
      await pushSecrets.insert(ada, secret('b', 2))
      await pushSecrets.insert(eve, secret('a', 3))
      await pushSecrets.expireAll(ada, 20)
    })
    const expected = [
      { ...secret('b', 2), expiresAt: 20 },
      { ...secret('a', 1), expiresAt: 10 },
    ]
    assert.deepEqual(await store.read.pushSecrets.list(ada), expected)
    assert.equal(await store.write(({ pushSecrets }) => pushSecrets.remove(eve, 'b')), false)
    assert.equal(await store.write(({ pushSecrets }) => pushSecrets.remove(ada, 'a')), true)
    assert.deepEqual((await store.read.pushSecrets.list(ada)).length, 1)
    assert.deepEqual(await store.read.pushSecrets.list(eve), [secret('a', 3)])
  })

  test(`${database}: puts a message once with its due time, and finds dead ones by account`, async (t) => {
    const store = await openTestStore(t, database)
    const [ada, eve] = [await newAccount(store), await newAccount(store)]
    const put = (id: string, at: number, what: string) =>
      store.write(({ outbox }) => outbox.putOnce({ id, accountId: ada, kind: 'note', payload: { what }, at }))
    await put('m', 1000, 'first')
    await put('m', 2000, 'second')
    await put('n', 3000, 'other')
    assert.equal(await store.read.outbox.waitsUntil('m'), 1000)
    assert.equal(await store.read.outbox.waitsUntil('nobody'), undefined)
    await store.write(async ({ outbox }) => {
      await outbox.giveUp('m', 'gone')
      await outbox.giveUp('n', 'gone too')
    })
    assert.equal(await store.read.outbox.waitsUntil('m'), undefined)
    const page = { offset: 0, limit: 10 }
    const dead = { id: 'm', kind: 'note', payload: { what: 'first' }, attempts: 0, lastError: 'gone', createdAt: 1000 }
    assert.deepEqual(await store.read.outbox.findDeadOf(ada, 'note', 'm'), dead)
    assert.deepEqual(
      (await store.read.outbox.listDeadOf(ada, 'note', page)).map(({ id }) => id),
      ['n', 'm'],
    )
    assert.deepEqual(await store.read.outbox.listDeadOf(ada, 'note', { offset: 1, limit: 1 }), [dead])
    assert.equal(await store.read.outbox.countDeadOf(ada, 'note'), 2)
    for (const [account, kind] of [
      [eve, 'note'],
      [ada, 'mail'],
    ] as const) {
      assert.deepEqual(await store.read.outbox.listDeadOf(account, kind, page), [])
      assert.equal(await store.read.outbox.countDeadOf(account, kind), 0)
      assert.equal(await store.read.outbox.findDeadOf(account, kind, 'm'), undefined)
    }
  })
}
