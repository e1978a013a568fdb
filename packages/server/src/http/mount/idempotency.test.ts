import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { charge } from '#core/money/charge.ts'
import { topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { bothDatabases, databases, openTestStore, type Database } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { IdempotentReplies } from './idempotency.ts'

const simPrice = 49_500
const day = 24 * 60 * 60 * 1000

const vault: Vault = {
  seal: (plain) => Buffer.from(plain).toString('hex'),
  open: (sealed) => Buffer.from(sealed, 'hex').toString(),
  derive: () => new Uint8Array(32),
}

interface Counter {
  store: Store
  clock: VirtualClock
  replies: IdempotentReplies
  caller: UserCaller
  /** Pays for a SIM card; the same effect id is charged once. */
  buy: (effectId: string) => Promise<{ effectId: string }>
  spent: () => Promise<number>
}

const open = async (t: TestContext, database: Database): Promise<Counter> => {
  const store = await openTestStore(t, database)
  const clock = new VirtualClock()
  const accountId = await store.write(async (tables) => {
    const tariffId = await openTariff(tables, clock, { currency: 'EUR' })
    const id = await createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR', tariffId })
    await topUp(tables, clock, { accountId: id, amount: 10 * simPrice, reason: 'cash', idempotencyKey: 'first', actor: 'test' })
    return id
  })
  return {
    store,
    clock,
    replies: new IdempotentReplies({ store, clock, vault }),
    caller: { kind: 'user', accountId, userId: 'w0', admin: true, scopes: ['all'], tokenId: 't' },
    buy: async (sessionId) => {
      await store.write((tables) => charge(tables, clock, { accountId, service: 'SIM', units: 1, sessionId, reason: 'SIM order' }))
      return { effectId: sessionId }
    },
    spent: async () => 10 * simPrice - ((await store.read.balances.find(accountId))?.amount ?? 0),
  }
}

const request = {
  key: 'k',
  operation: { id: 'orderSim' } as { id: string; credentials?: true },
  path: '/sim',
  body: { addressId: '1' },
  breathe: () => Promise.resolve(),
}

for (const database of databases) {
  test(`${database}: returns the same reply for the same key and body, with one effect, and rejects another body`, async (t) => {
    const { replies, caller, buy, spent } = await open(t, database)
    const once = (change: object = {}) => replies.once({ ...request, caller, ...change }, buy)
    const first = await once()
    assert.deepEqual(await once(), first)
    assert.equal(await spent(), simPrice)
    await assert.rejects(once({ body: { addressId: '2' } }), { code: 'idempotency_mismatch', status: 422 })
    await assert.rejects(once({ path: '/other' }), { code: 'idempotency_mismatch' })
    await assert.rejects(once({ operation: { id: 'sendFax' } }), { code: 'idempotency_mismatch' })
    await assert.rejects(once({ key: '' }), { code: 'parameter_invalid' })
    await assert.rejects(once({ key: 'x'.repeat(256) }), { code: 'parameter_invalid' })
    assert.notDeepEqual(await once({ caller: { ...caller, userId: 'w1' } }), first, 'another user’s key is another key')
    assert.equal(await spent(), 2 * simPrice)
  })
}

for (const database of bothDatabases) {
  test(`${database}: runs one of many concurrent requests with one key and answers 409 to the others`, async (t) => {
    const { replies, caller, buy, spent } = await open(t, database)
    const arrived = Promise.withResolvers<void>()
    const resume = Promise.withResolvers<void>()
    const running = replies.once({ ...request, caller }, async (effectId) => {
      arrived.resolve()
      await resume.promise
      return buy(effectId)
    })
    await arrived.promise
    for (const other of [{}, {}]) await assert.rejects(replies.once({ ...request, caller, ...other }, buy), { status: 409, retryAfter: 1 })
    resume.resolve()
    const answer = await running
    const later = await Promise.all(Array.from({ length: 10 }, () => replies.once({ ...request, caller }, buy)))
    for (const one of later) assert.deepEqual(one, answer)
    assert.equal(await spent(), simPrice)
    const crowd = await Promise.allSettled(Array.from({ length: 20 }, () => replies.once({ ...request, key: 'crowd', caller }, buy)))
    assert.ok(crowd.some(({ status }) => status === 'fulfilled'))
    assert.equal(await spent(), 2 * simPrice)
  })
}

for (const database of databases) {
  test(`${database}: keeps a reply for 24 hours`, async (t) => {
    const { replies, caller, clock, buy, spent } = await open(t, database)
    const first = await replies.once({ ...request, caller }, buy)
    await clock.jump(day - 1)
    assert.deepEqual(await replies.once({ ...request, caller }, buy), first)
    await clock.advance(1)
    assert.notDeepEqual(await replies.once({ ...request, caller }, buy), first)
    assert.equal(await spent(), 2 * simPrice)
  })

  test(`${database}: repeats a request that died half-way without a second charge`, async (t) => {
    const { replies, caller, clock, buy, spent } = await open(t, database)
    const never = new Promise<never>(() => {})
    const charged = Promise.withResolvers<void>()
    void replies.once({ ...request, caller }, async (effectId) => {
      await buy(effectId)
      charged.resolve()
      return never // as if the process was killed here
    })
    await charged.promise
    await clock.advance(59_999)
    await assert.rejects(replies.once({ ...request, caller }, buy), { code: 'idempotency_in_progress' })
    await clock.advance(1)
    const answer = await replies.once({ ...request, caller }, buy)
    assert.deepEqual(await replies.once({ ...request, caller }, buy), answer)
    assert.equal(await spent(), simPrice)
  })

  test(`${database}: ignores the late result of a request that was replaced as abandoned`, async (t) => {
    const { replies, caller, clock, buy } = await open(t, database)
    const slow = Promise.withResolvers<unknown>()
    const started = Promise.withResolvers<void>()
    const late = replies.once({ ...request, caller }, () => {
      started.resolve()
      return slow.promise
    })
    await started.promise
    await clock.advance(60_000)
    const answer = await replies.once({ ...request, caller }, buy)
    slow.reject(new Problem('conflict'))
    await assert.rejects(late, { code: 'conflict' })
    assert.deepEqual(await replies.once({ ...request, caller }, buy), answer)
  })

  test(`${database}: frees the key after a rejection and keeps the effect id after an internal error`, async (t) => {
    const { replies, caller, buy, spent } = await open(t, database)
    const refuse = () => Promise.reject(new Problem('insufficient_funds'))
    await assert.rejects(replies.once({ ...request, caller }, refuse), { code: 'insufficient_funds' })
    await replies.once({ ...request, caller, body: { addressId: '2' } }, buy)
    assert.equal(await spent(), simPrice)
    const crash = async (effectId: string) => {
      await buy(effectId)
      throw new Error('the connection broke after the commit')
    }
    await assert.rejects(replies.once({ ...request, key: 'k2', caller }, crash), /connection broke/)
    await replies.once({ ...request, key: 'k2', caller }, buy)
    assert.equal(await spent(), 2 * simPrice)
  })
}

test('seals a kept reply that holds credentials', async (t) => {
  const { store, replies, caller } = await open(t, 'sqlite')
  const operation = { id: 'createFlowSecret', credentials: true } as const
  const once = () => replies.once({ ...request, operation, caller }, async () => ({ secret: 'whsec_1' }))
  assert.deepEqual([await once(), await once()], [{ secret: 'whsec_1' }, { secret: 'whsec_1' }])
  const kept = await store.read.idempotency.find(caller.accountId, `${caller.userId}:k`)
  assert.doesNotMatch(kept?.reply ?? assert.fail('no reply is kept'), /whsec/)
})

test('keeps no reply of more than 256 KiB, and does not repeat its effect', async (t) => {
  const { store, replies, caller } = await open(t, 'sqlite')
  let effects = 0
  const once = () => replies.once({ ...request, caller }, async () => ({ text: 'x'.repeat(256 * 1024), effects: ++effects }))
  await once()
  await assert.rejects(once(), { code: 'idempotency_reply_too_large', status: 409 })
  assert.equal(effects, 1)
  assert.equal((await store.read.idempotency.find(caller.accountId, `${caller.userId}:k`))?.reply?.length, 1)
})

test('keeps the keys of operators apart from those of users', async (t) => {
  const { replies, caller, buy } = await open(t, 'sqlite')
  const operator = { kind: 'operator', operatorId: 'o', scopes: ['all'], tokenId: 't' } as const
  const first = await replies.once({ ...request, caller: operator }, async () => ({ effectId: 'one' }))
  assert.deepEqual(await replies.once({ ...request, caller: operator }, () => assert.fail('it ran twice')), first)
  assert.notDeepEqual(await replies.once({ ...request, caller }, buy), first)
})
