// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { attempts } from '#test/world/hostile-attempts.ts'
import { hostileToken } from '#test/world/hostile-token.ts'
import { databases } from '#test/world/world.ts'

/** Ten thousand attempts over both databases, by ten new tokens each, up to and beyond their daily limits. */
for (const database of databases)
  test(`${database}: enforces the leash against five thousand hostile orders`, async (t) => {
    let tried = 0
    for (let token = 0; token < 10; token++) {
      const { clock, attack, check } = await hostileToken(t, database)
      const batches = fc.sample(attempts, { numRuns: 60, seed: Number(process.env.OFFHOOK_TEST_SEED ?? 20_261) + token })
      for (const batch of batches) {
        tried += batch.length
        await attack(batch)
        assert.deepEqual(await check(), [])
        await clock.advance(1100)
      }
    }
    t.diagnostic(`${tried} orders`)
    assert.ok(tried >= 5000, `${tried}`)
  })
