import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastClauseFrom } from './playout.ts'

const spoken = (...texts: string[]) => texts.map((text, index) => ({ text, fromMs: index * 4000, toMs: (index + 1) * 4000 }))

test('finds the last clause of a speech that ends in a question', () => {
  assert.equal(lastClauseFrom(spoken('We have a table at eight.', 'Shall I book it?')), 4000)
  assert.equal(lastClauseFrom(spoken('I have found it, shall I book it?')), (17 / 33) * 4000)
  assert.equal(lastClauseFrom(spoken('Soll ich ihn buchen, Frau Meier?')), 2625, 'a short one begins where it begins')
  assert.equal(lastClauseFrom(spoken('Shall I book that table for you now, Ann?')), 3000, 'who answers in the last second answers')
  assert.equal(lastClauseFrom(spoken('He asked: “Is it open?”')), 1000 * 4 * (10 / 23))
  assert.equal(lastClauseFrom([...spoken('Is it open?'), { text: '', fromMs: 4000, toMs: 4500 }]), 0, 'a pause after it has no words')
})

test('returns undefined unless the speech ends in a question or wants an answer', () => {
  assert.equal(lastClauseFrom(spoken('Is it open? Let me see.')), undefined)
  assert.equal(lastClauseFrom(spoken('Your table is booked.')), undefined)
  assert.equal(lastClauseFrom(spoken('')), undefined)
  assert.equal(lastClauseFrom([]), undefined)
  assert.equal(lastClauseFrom(spoken('Tea or coffee. Please say yes or no.'), true), (15 / 36) * 4000, 'an answer is wanted all the same')
})
