import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld, type World } from '#test/world/world.ts'
import { hashSecret, issueToken } from './tokens/tokens.ts'

const hour = 60 * 60 * 1000

const record = (id: string, expiresAt: number | undefined) => ({
  model: 'Session',
  idHash: id,
  sealed: 'x',
  grantId: undefined,
  uid: undefined,
  subject: undefined,
  clientId: undefined,
  expiresAt,
})

/** Reads at time 0, when no record has expired yet, so that only removed records are missing. */
const orphans = (world: World) =>
  world.write(async ({ oidcRecords, passwordResets }) => ({
    records: [
      await oidcRecords.find('Session', 'old', 0),
      await oidcRecords.find('Session', 'fresh', 0),
      await oidcRecords.find('Session', 'ever', 0),
    ].map((one) => one !== undefined),
    resets: [await passwordResets.findOpen('old', 0), await passwordResets.findOpen('fresh', 0)].map((one) => one !== undefined),
  }))

for (const database of databases) {
  test(`${database}: removes expired records every hour`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const now = world.clock.now()
    const holder = { accountId: ada.accountId, userId: ada.userId }
    const [short, long] = await world.write(async (tables) => {
      await tables.oidcRecords.put(record('old', now + 1))
      await tables.oidcRecords.put(record('fresh', now + 100 * hour))
      await tables.oidcRecords.put(record('ever', undefined))
      for (const [nonceHash, expiresAt] of [
        ['old', now + 1],
        ['fresh', now + 100 * hour],
      ] as const)
        await tables.passwordResets.insert(ada.accountId, { userId: ada.userId, nonceHash, createdAt: now, expiresAt })
      await tables.attempts.take({ bucket: 'b', limit: 1, windowMs: hour }, now)
      const issue = { kind: 'access', holder, subject: 'x', scopes: ['all'] } as const
      return [
        await issueToken(tables, world.clock, { ...issue, lifetime: 1 }),
        await issueToken(tables, world.clock, { ...issue, lifetime: 1_000_000 }),
      ]
    })
    const stored = (token: string) => world.write(({ tokens }) => tokens.findValid(hashSecret(token), 0))
    assert.ok(await stored(short))
    await world.clock.advance(hour)
    assert.equal(await stored(short), undefined)
    assert.ok(await stored(long))
    assert.deepEqual(await orphans(world), { records: [false, true, true], resets: [false, true] })
    for (const hours of [50, 50, 1]) await world.clock.jump(hours * hour)
    assert.deepEqual(await orphans(world), { records: [false, false, true], resets: [false, false] }, 'and again, and again')
    const attempt = await world.write(({ attempts }) => attempts.take({ bucket: 'b', limit: 1, windowMs: 1000 * hour }, world.clock.now()))
    assert.ok('id' in attempt, 'the attempt of long ago is forgotten too')
  })
}
