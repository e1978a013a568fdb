import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrunkCallEnd } from '#core/kernel/ports/calls.ts'
import { Figures } from './figures.ts'

const call = (end: Partial<TrunkCallEnd>): TrunkCallEnd => ({
  trunkId: 'one',
  direction: 'outgoing',
  answered: true,
  cause: 'normal',
  quality: undefined,
  ...end,
})

test('counts calls per trunk and merges several processes', () => {
  const [here, there, together] = [new Figures(), new Figures(), new Figures()]
  here.trunks.add(call({ quality: { packetsReceived: 90, packetsLost: 10, jitterMs: 4 } }))
  here.trunks.add(call({ answered: false, cause: 'busy' }))
  here.trunks.add(call({ trunkId: 'two', direction: 'incoming', answered: false, cause: 'unreachable' }))
  there.trunks.add(call({ direction: 'incoming', quality: { packetsReceived: 300, packetsLost: 0, jitterMs: 8 } }))
  together.merge(here.saved())
  together.merge(there.saved())
  together.merge({ ...new Figures().saved() })
  assert.deepEqual(together.trunks.saved(), {
    one: { incoming: 1, outgoing: 2, answered: 2, failed: 0, packets: 400, lost: 10, jitterMs: 7 },
    two: { incoming: 1, outgoing: 0, answered: 0, failed: 1, packets: 0, lost: 0, jitterMs: 0 },
  })
  const whole = new Figures()
  whole.append(together)
  assert.deepEqual(whole.trunks.saved(), together.trunks.saved())
})
