import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { Authenticator } from './authenticate.ts'
import { hashSecret } from './tokens.ts'

for (const database of databases) {
  test(`${database}: does not cache a token that is revoked during its lookup`, async (t) => {
    const world = await startWorld(t, { database })
    const { token } = await world.newAccount()
    const authenticator = new Authenticator(world.running.deps.store, world.clock)
    const header = `Bearer ${token}`
    const underWay = authenticator.identify(header)
    assert.ok(underWay instanceof Promise)
    const revoked = world.write((tables) => tables.tokens.removeByHash(hashSecret(token))).then(() => authenticator.forget())
    authenticator.forget() // the change may become known before the lookup resolves
    await underWay
    await revoked
    assert.equal(await authenticator.identify(header), undefined)
  })

  test(`${database}: identifies a cached token synchronously, for one second only`, async (t) => {
    const world = await startWorld(t, { database })
    const { token, userId } = await world.newAccount()
    const authenticator = new Authenticator(world.running.deps.store, world.clock)
    await authenticator.identify(`Bearer ${token}`)
    const known = authenticator.identify(`Bearer ${token}`)
    assert.ok(!(known instanceof Promise) && known?.kind === 'user' && known.userId === userId)
    await world.write((tables) => tables.tokens.removeByHash(hashSecret(token)))
    await world.clock.advance(1_000)
    assert.equal(await authenticator.identify(`Bearer ${token}`), undefined)
  })
}
