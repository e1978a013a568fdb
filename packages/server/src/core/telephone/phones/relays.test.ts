import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relaysWith } from './phone-tickets.ts'

test('issues TURN credentials for an hour, as coturn derives them from the secret', () => {
  const clock = { now: () => 1_800_000_000_000 }
  const [relay] = relaysWith({ urls: ['turn:turn.example.org:3478'], secret: 'north', clock })('7000001w0')
  assert.deepEqual(relay, {
    urls: ['turn:turn.example.org:3478'],
    username: '1800003600:7000001w0',
    credential: '3Itv18pHfLLmK8CEPIWZbLFvwJ0=',
  })
})
