import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  portingStatuses as statusesOfService,
  portingTransitions,
} from '../../../../../server/src/core/account/portings/porting-machine.ts'
import { placeOnTrack, portingStatuses, stuckStatuses, tracks, type PortingStatus } from './porting-track.ts'

const goes = (from: readonly PortingStatus[], to: readonly PortingStatus[]): boolean =>
  portingTransitions.some((one) => from.some((status) => one.from.includes(status)) && to.some((status) => one.to === status))

test('the drawn tracks match the real porting transitions', () => {
  assert.deepEqual([...portingStatuses], Object.keys(statusesOfService).map(Number))
  for (const [name, track] of Object.entries(tracks)) {
    const drawn: readonly { statuses: readonly PortingStatus[] }[] = track
    const steps = drawn.filter(({ statuses }) => statuses.length > 0)
    for (const [index, { statuses }] of steps.entries()) {
      const next = steps[index + 1]
      if (next) assert.ok(goes(statuses, next.statuses), `${name}: ${statuses.join()} leads to ${next.statuses.join()}`)
      for (const stuck of statuses.filter((status) => stuckStatuses.includes(status)))
        assert.ok(goes(statuses, [stuck]), `${name}: ${stuck} is a failure of ${statuses.join()}`)
    }
  }
})

test('every state has a place, and a cancelled porting has none', () => {
  for (const status of portingStatuses) {
    const present = placeOnTrack(status).filter(({ state }) => state === 'now' || state === 'bad')
    assert.equal(present.length, status === 500 || status === 600 ? 0 : 1, String(status))
  }
  assert.deepEqual(placeOnTrack(600), [])
  assert.ok(placeOnTrack(500).every(({ state }) => state === 'done'))
  assert.deepEqual(
    placeOnTrack(252).map(({ name, state }) => `${name} ${state}`),
    ['mail done', 'consent done', 'request bad', 'date ahead', 'switching ahead', 'complete ahead'],
  )
})
