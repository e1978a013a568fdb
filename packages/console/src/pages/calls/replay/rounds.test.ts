import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundsOf } from './rounds.ts'

const steps = [
  { expect: { said: 'Welcome' } },
  { say: 'Until when?' },
  { expect: { said: 'Until five' } },
  { press: '1' },
  { expect: { action: 'transfer' as const } },
  { hang_up: true as const },
]

const moment = (by: 'caller' | 'assistant', notified: { text?: string; action?: string }) => ({ atMs: 0, turn: 0, by, ...notified })

test('aligns a call with its replay and each failure with its round', () => {
  const failure = { step: 2, turn: 1, message: 'did transfer (p0), now nothing' }
  const rounds = roundsOf(steps, {
    transcript: [
      moment('assistant', { text: 'Welcome.' }),
      moment('caller', { text: 'Until when?' }),
      moment('assistant', { text: 'Until six.' }),
      moment('caller', { action: 'press (1)' }),
      moment('caller', { action: 'hang_up' }),
    ],
    failures: [failure],
  })
  assert.deepEqual(
    rounds.map(({ caller, before, now, failures }) => [caller, before.length, now.map(({ text }) => text), failures]),
    [
      [undefined, 1, ['Welcome.'], []],
      [{ say: 'Until when?' }, 1, ['Until six.'], []],
      [{ press: '1' }, 1, [], [failure]],
      [{ hang_up: true }, 0, [], []],
    ],
  )
})

test('leaves the rest empty after an early end; puts differences at the beginning first', () => {
  const failure = { step: 0, turn: 0, message: 'not reachable' }
  const rounds = roundsOf([{ say: 'Hello' }, { expect: { ended: 'caller_hangup' } }], { transcript: [], failures: [failure] })
  assert.deepEqual(
    rounds.map(({ now, failures }) => [now, failures]),
    [
      [[], [failure]],
      [[], []],
    ],
  )
})
