import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

for (const database of databases) {
  test(`${database}: books payments, corrections and the limit of an account`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const at = { accountId: ada.accountId }
    const empty = { currency: 'EUR', amount: 0, reserved: 0, creditLimit: 0 }
    assert.deepEqual(await operator.readBalance(at), { ...empty, items: [] })

    const payment = { amount: 35_000, reason: 'bank transfer 4711', idempotencyKey: 'p1' }
    assert.deepEqual(await operator.topUpBalance(at, payment), { ...empty, amount: 35_000 })
    const repeated = await Promise.all(Array.from({ length: 5 }, () => operator.topUpBalance(at, payment)))
    for (const balance of repeated) assert.equal(balance.amount, 35_000)
    await assert.rejects(operator.topUpBalance(at, { ...payment, amount: 1 }), { status: 422 })
    for (const amount of [0, -1, 1.5, 1e15])
      await assert.rejects(operator.topUpBalance(at, { ...payment, amount, idempotencyKey: 'p2' }), { status: 400 })
    assert.deepEqual(await ada.api.getBalance(), { amount: 35_000, currency: 'EUR' })
    await assert.rejects(bob.api.getBalance(), { status: 403 })

    const correction = { amount: -35_001, reason: 'goodwill', idempotencyKey: 'p1' }
    await assert.rejects(operator.adjustBalance(at, correction), { status: 402 })
    await assert.rejects(operator.adjustBalance(at, { ...correction, amount: 0 }), { status: 400 })
    await operator.setCreditLimit(at, { creditLimit: 1 })
    assert.deepEqual(await operator.adjustBalance(at, correction), { ...empty, amount: -1, creditLimit: 1 })
    await assert.rejects(operator.setCreditLimit(at, { creditLimit: 0 }), { status: 409 })
    assert.deepEqual(await ada.api.getBalance(), { amount: -1, currency: 'EUR' }, 'a limit is no money')

    const { items } = await operator.readBalance({ ...at, limit: 1 })
    assert.deepEqual(
      items.map(({ amount, reason, actor }) => [amount, reason, actor.startsWith('operator:')]),
      [[-35_001, 'goodwill', true]],
    )
    const older = await operator.readBalance({ ...at, before: items[0]!.position })
    assert.deepEqual(
      older.items.map(({ amount }) => amount),
      [35_000],
    )
    const { items: own, ...purse } = await ada.api.readLedger({ before: items[0]!.position })
    assert.deepEqual(purse, { ...empty, amount: -1, creditLimit: 1 })
    assert.deepEqual(
      own.map(({ amount, reason }) => [amount, reason]),
      [[35_000, 'bank transfer 4711']],
    )
    assert.ok(!('actor' in own[0]!), 'who of the operators it was is not told')
    await assert.rejects(bob.api.readLedger(), { status: 403 })
    const audit = await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 100 })
    const noted = audit.map(({ action }) => action).filter((action) => action.startsWith('balance.'))
    assert.deepEqual(noted, ['balance.payments', 'balance.creditLimit', 'balance.adjustments'])

    const nobody = { accountId: '0000000' }
    await assert.rejects(operator.readBalance(nobody), { status: 404 })
    await assert.rejects(operator.topUpBalance(nobody, payment), { status: 404 })
    await assert.rejects(operator.setCreditLimit(nobody, { creditLimit: 5 }), { status: 404 })
    await assert.rejects(ada.api.topUpBalance(at, payment), { status: 401 })
  })
}
