import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Utterance } from './conversation.ts'
import type { StepTime } from './turn-steps.ts'
import { withWaits } from './with-waits.ts'

const base = { key: '', at: 0 }
const caller = (turn: number): Utterance => ({ ...base, who: 'caller', turn, text: 'Hello', final: true, typed: false, bargedIn: false })
const answer: Utterance = {
  ...base,
  who: 'assistant',
  eventId: 'e',
  stream: undefined,
  wanted: '',
  state: 'spoken',
  spoken: '',
  playedMs: 0,
}
const problem: Utterance = { ...base, who: 'problem', message: 'the endpoint answered 503', eventId: 'e' }
const times: StepTime[] = [{ step: 'endpoint', fromMs: 0, toMs: 700 }]

const waitsOf = (...notified: Utterance[]) => {
  const { rows, waiting } = withWaits(notified, new Map([[1, times]]))
  return [...rows.map(({ utterance, waited }) => `${utterance.who}${waited ? ' after a wait' : ''}`), ...(waiting ? ['waited'] : [])]
}

test('puts the wait before the answer and after problems', () => {
  assert.deepEqual(waitsOf(caller(1), problem, answer, answer), ['caller', 'problem', 'assistant after a wait', 'assistant'])
})

test('puts the wait of a started answer at the end', () => {
  assert.deepEqual(waitsOf(answer, caller(1)), ['assistant', 'caller', 'waited'])
})

test('shows no wait for an utterance without an answer', () => {
  assert.deepEqual(waitsOf(caller(2), caller(1), answer), ['caller', 'caller', 'assistant after a wait'])
})
