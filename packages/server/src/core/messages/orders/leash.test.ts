import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { hostileToken } from '#test/world/hostile-token.ts'
import { attempts } from '#test/world/hostile-attempts.ts'
import { bothDatabases } from '#test/world/world.ts'

for (const database of bothDatabases)
  test(`${database}: enforces a leash under concurrent orders`, async (t) => {
    const { clock, attack, check, reached } = await hostileToken(t, database)
    const [batches] = fc.sample(fc.array(attempts, { minLength: 12, maxLength: 12 }), { numRuns: 1, seed: 7 })
    for (const batch of batches ?? []) {
      await attack(batch)
      assert.deepEqual(await check(), [])
      await clock.advance(1100)
    }
    const kinds = new Set([...reached.values()].map(({ kind }) => kind))
    assert.deepEqual([...kinds].toSorted(), ['call', 'sms'], 'and what is allowed is done')
  })
