import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryLostRaces } from './lost-races.ts'

const answered = (code: string): Error => Object.assign(new Error('of PostgreSQL'), { code })

test('a transaction that lost a race is run again, also when the loss is a cause of what is told', async () => {
  const losses = [answered('40001'), answered('40P01'), new Error('no present schema', { cause: answered('40P01') })]
  const done = await retryLostRaces(async () => {
    const loss = losses.shift()
    if (loss) throw loss
    return 'done'
  })
  assert.equal(done, 'done')
})

test('nothing else is run again, and a race is not run for ever', async () => {
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
