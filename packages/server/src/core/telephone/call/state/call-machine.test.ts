import assert from 'node:assert/strict'
import { test } from 'node:test'
import { next, type CallInput, type CallState } from './call-progress.ts'

const states: CallState[] = ['dialing', 'ringing', 'active', 'transferring', 'consulting', 'ended']
const inputs: CallInput[] = ['progress', 'answer', 'transfer', 'transferred', 'transfer_failed', 'consult', 'consulted', 'end']

test('ends a call from every state, exactly once', () => {
  for (const state of states) assert.equal(next(state, 'end'), state === 'ended' ? undefined : 'ended')
  for (const input of inputs) assert.equal(next('ended', input), undefined)
})

test('moves through a call with failed, blind and attended transfers', () => {
  const story: [CallInput, CallState][] = [
    ['progress', 'ringing'],
    ['answer', 'active'],
    ['transfer', 'transferring'],
    ['transfer_failed', 'active'],
    ['transfer', 'transferring'],
    ['transferred', 'active'],
    ['transfer', 'transferring'],
    ['consult', 'consulting'],
    ['consulted', 'active'],
    ['transfer', 'transferring'],
    ['consult', 'consulting'],
    ['transfer', 'transferring'],
    ['transferred', 'active'],
    ['end', 'ended'],
  ]
  let state: CallState = 'dialing'
  for (const [input, expected] of story) {
    state = next(state, input) ?? assert.fail(`${input} in ${state}`)
    assert.equal(state, expected)
  }
})

test('rejects a transfer of an inactive call and a second answer', () => {
  assert.equal(next('ringing', 'transfer'), undefined)
  assert.equal(next('transferring', 'transfer'), undefined)
  assert.equal(next('active', 'answer'), undefined)
  assert.equal(next('active', 'consult'), undefined)
})
