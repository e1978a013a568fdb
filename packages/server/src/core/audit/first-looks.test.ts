import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../../../test/support/virtual-clock.ts'
import { FirstLooks } from './first-looks.ts'

test('a look counts again after an hour, and for each thing apart', async () => {
  const clock = new VirtualClock()
  const looks = new FirstLooks(clock)
  assert.deepEqual(
    ['a', 'a', 'b'].map((look) => looks.isFirst(look)),
    [true, false, true],
  )
  await clock.advance(3_599_999)
  assert.equal(looks.isFirst('a'), false)
  await clock.advance(1)
  assert.equal(looks.isFirst('a'), true)
  assert.equal(looks.isFirst('a'), false)
})

test('of many looks the oldest are forgotten', () => {
  const looks = new FirstLooks(new VirtualClock())
  for (let i = 0; i <= 10_000; i++) looks.isFirst(`look ${i}`)
  assert.equal(looks.isFirst('look 10000'), false)
  assert.equal(looks.isFirst('look 0'), true)
})
