import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlain, nothing, routingOf, valuesOf, type Routing } from './routing-form.ts'

const full: Routing = {
  rules: [{ scheduleId: 's', when: 'CLOSED', action: 'FLOW', to: 'f' }],
  overflow: [
    { after: 25, action: 'FLOW', to: 'f' },
    { after: 'BUSY', action: 'VOICEMAIL', to: 'v1' },
    { after: 'UNREACHABLE', action: 'FORWARD', to: '+4930123' },
  ],
}

test('round-trips routing settings', () => {
  assert.deepEqual(routingOf(valuesOf(full), full), full)
  const empty: Routing = { rules: [], overflow: [] }
  assert.deepEqual(routingOf(valuesOf(empty), empty), empty)
})

test('has no rule without office hours, and keeps rules that a form cannot show', () => {
  assert.deepEqual(routingOf({ ...valuesOf(full), scheduleId: '' }, full).rules, [])
  assert.deepEqual(routingOf({ ...valuesOf(full), closed: nothing }, full).rules, [])
  const special: Routing = { rules: [{ scheduleId: 's', when: 'OPEN', action: 'RING' }], overflow: [] }
  assert.equal(isPlain(special), false)
  assert.deepEqual(routingOf(valuesOf(special), special), special)
})
