import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '#test/world/world.ts'
import { setPassword } from '#core/account/accounts/change-user.ts'
import { issuePair, renewPair } from './token-pairs.ts'
import { hashSecret } from './tokens.ts'

// SQLite has one writer at a time, so only PostgreSQL can interleave the two.
test('postgres: revokes a pair that is renewed while the password changes', async (t) => {
  const world = await startWorld(t, { database: 'postgres' })
  const { accountId, userId } = await world.newAccount()
  const pairFor = { holder: { accountId, userId }, subject: 'subject', clientId: 'x', scopes: ['all'] } as const
  const first = await world.write((tables) => issuePair(tables, world.clock, pairFor))
  const { promise: renewed, resolve: onRenewed } = Promise.withResolvers<void>()
  const { promise: changing, resolve: onChanging } = Promise.withResolvers<void>()
  const renewal = world.write(async (tables) => {
    const pair = await renewPair(tables, world.clock, first.refresh, 'x')
    onRenewed()
    await changing
    // Many times longer than the change takes when it is not blocked.
    for (let queries = 0; queries < 100; queries++) await tables.users.list(accountId)
    return pair
  })
  await renewed
  await world.write((tables) => {
    onChanging()
    return setPassword(tables, accountId, userId, 'new hash')
  })
  const pair = await renewal
  assert.ok(pair)
  for (const token of [pair.access, pair.refresh])
    assert.equal(await world.running.deps.store.read.tokens.findValid(hashSecret(token), world.clock.now()), undefined)
})
