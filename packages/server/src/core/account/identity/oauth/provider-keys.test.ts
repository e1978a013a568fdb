import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { provideKeys } from './provider-keys.ts'

for (const database of databases) {
  test(`${database}: processes that start together agree on their keys, and a newer key signs`, async (t) => {
    const world = await startWorld(t, { database })
    const { parts } = world.running
    const [one, other] = await Promise.all([provideKeys(parts), provideKeys(parts)])
    assert.deepEqual(one, other)
    assert.deepEqual([one.signing.length, one.cookies.length], [1, 1])
    const stored = await parts.store.read.signingKeys.list()
    // A sealed key is letters without meaning, so any short word may stand in it by chance: '"kty"' with its quotes may not.
    for (const { jwkSealed } of stored) assert.doesNotMatch(jwkSealed, /"kty"/)
    for (const { jwkSealed } of stored) assert.match(parts.vault.open(jwkSealed), /"kty"/)

    await world.clock.advance(1)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'sig-2', use: 'sig', alg: 'RS256' }
    const jwkSealed = parts.vault.seal(JSON.stringify(jwk))
    await world.write((tables) => tables.signingKeys.insert({ kid: 'sig-2', jwkSealed, createdAt: world.clock.now() }))
    const rotated = await provideKeys(parts)
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
