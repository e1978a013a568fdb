import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryLostRaces } from './postgres-errors.ts'

const answered = (code: string): Error => Object.assign(new Error('of PostgreSQL'), { code })

test('retries a transaction after a serialization failure or deadlock, also as the cause of another error', async () => {
  const losses = [answered('40001'), answered('40P01'), new Error('no present schema', { cause: answered('40P01') })]
  const done = await retryLostRaces(async () => {
    const loss = losses.shift()
    if (loss) throw loss
    return 'done'
  })
  assert.equal(done, 'done')
})

test('retries no other errors, and gives up after some attempts', async () => {
  let runs = 0
  const fail = (error: Error) => async (): Promise<never> => {
    runs++
    throw error
  }
  await assert.rejects(retryLostRaces(fail(answered('23505'))), { code: '23505' })
  assert.equal(runs, 1)
  await assert.rejects(retryLostRaces(fail(answered('40P01'))), { code: '40P01' })
  assert.equal(runs, 6)
})
