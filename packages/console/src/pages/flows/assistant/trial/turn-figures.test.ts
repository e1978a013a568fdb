import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figuresOf } from './turn-figures.ts'

const base = { callId: 'c', sequence: 1, at: 1 }
const model = (turn: number, data: object) => ({ ...base, kind: 'note', eventId: 'e', turn, name: 'model', data }) as const

test('each turn has its words, the wait for the first token and sound, and the sum of tokens and cost', () => {
  const figures = figuresOf([
    { ...base, kind: 'heard', turn: 1, text: 'Are', final: false, typed: true },
    { ...base, kind: 'heard', turn: 1, text: 'Are you open?', final: true, typed: true },
    model(1, { firstTokenMs: 120, promptTokens: 50, completionTokens: 5, cost: { amount: 1, currency: 'EUR' } }),
    model(1, { firstTokenMs: 300, promptTokens: 70, completionTokens: 8, cost: { amount: 2, currency: 'EUR' } }),
    { ...base, kind: 'note', eventId: 'e', turn: 1, name: 'tool', data: { name: 'look_up' } },
    { ...base, kind: 'turn', turn: 1, firstSoundMs: 410 },
    { ...base, kind: 'turn', turn: 2 },
    model(2, {}),
  ])
  assert.deepEqual(figures, [
    { turn: 1, said: 'Are you open?', firstSoundMs: 410, firstTokenMs: 120, tokens: 133, cost: { amount: 3, currency: 'EUR' } },
    { turn: 2, said: '', tokens: 0 },
  ])
})
