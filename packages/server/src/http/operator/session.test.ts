import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

for (const database of databases) {
  test(`${database}: logs the operator in for twelve hours at most, and out`, async (t) => {
    const world = await startWorld(t, { database })
    const { passwords } = world.running.deps
    const password = 'the operator’s password'
    const passwordHash = await passwords.hash(password)
    await world.write(({ operators }) =>
      operators.insert({ id: 'o1', email: 'boss@example.com', name: 'Boss', passwordHash, createdAt: 0 }),
    )
    const anyone = world.client()
    const { token } = await anyone.createOperatorSession({}, { email: 'Boss@Example.com', password })
    const boss = world.client(token)
    await boss.listAccounts({})
    await assert.rejects(boss.getAccount(), { status: 401 }, 'the operator is no user')
    await boss.deleteOperatorSession()
    await assert.rejects(boss.listAccounts({}), { status: 401 })
    await assert.rejects(boss.deleteOperatorSession(), { status: 401 })
    const entries = await world.write((tables) => tables.audit.list('operator', { afterSeq: 0, limit: 10 }))
    assert.deepEqual(entries.map(({ actor, action }) => [actor, action]).at(-1), ['operator:o1', 'token.revoke'])

    const late = world.client((await anyone.createOperatorSession({}, { email: 'boss@example.com', password })).token)
    await world.clock.advance(12 * 60 * 60 * 1000 - 1)
    await late.listAccounts({})
    await world.clock.advance(1)
    await assert.rejects(late.listAccounts({}), { status: 401 })

    const ada = await world.newAccount()
    await assert.rejects(
      anyone.createOperatorSession({}, { email: ada.email, password: ada.password }),
      { status: 401 },
      'a user is no operator',
    )
    await assert.rejects(anyone.createSessionToken({}, { username: 'boss@example.com', password }), { status: 401 })
    for (let failures = 0; failures < 4; failures++)
      await assert.rejects(anyone.createOperatorSession({}, { email: 'boss@example.com', password: 'wrong' }), { status: 401 })
    await assert.rejects(anyone.createOperatorSession({}, { email: 'boss@example.com', password }), { status: 429 })
    await assert.rejects(anyone.createOperatorSession({}, { email: 'x' } as never), { status: 400 })
  })
}
