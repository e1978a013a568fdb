import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { bothDatabases, startWorld } from '#test/world/world.ts'
import { provideKeys } from './provider-keys.ts'

for (const database of bothDatabases) {
  test(`${database}: agrees on keys across nodes that start together; signs with the newest key`, async (t) => {
    const world = await startWorld(t, { database })
    const { deps } = world.running
    const [one, other] = await Promise.all([provideKeys(deps), provideKeys(deps)])
    assert.deepEqual(one, other)
    assert.deepEqual([one.signing.length, one.cookies.length], [1, 1])
    const stored = await deps.store.read.signingKeys.list()
    // A sealed key is random text, so any short word may occur in it by chance: '"kty"' with its quotes cannot.
    for (const { jwkSealed } of stored) assert.doesNotMatch(jwkSealed, /"kty"/)
    for (const { jwkSealed } of stored) assert.match(deps.vault.open(jwkSealed), /"kty"/)

    await world.clock.advance(1)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'sig-2', use: 'sig', alg: 'RS256' }
    const jwkSealed = deps.vault.seal(JSON.stringify(jwk))
    await world.write((tables) => tables.signingKeys.insert({ kid: 'sig-2', jwkSealed, createdAt: world.clock.now() }))
    const rotated = await provideKeys(deps)
    assert.deepEqual(
      rotated.signing.map((key) => (key as { kid?: string }).kid),
      ['sig-2', 'sig-1'],
    )
    const { keys } = (await (await fetch(`${world.url}/v1/authorization/oauth/jwks`)).json()) as { keys: Record<string, string>[] }
    assert.deepEqual(
      keys.map(({ kid }) => kid),
      ['sig-2', 'sig-1'],
    )
    for (const key of keys) for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.equal(key[secret], undefined)
  })
}
