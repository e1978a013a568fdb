import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallProgress, type CallInput } from './call-progress.ts'
import type { Party } from './party.ts'
import type { Consulting, PendingRequest } from './transfer-request.ts'

const [phone, other] = [{ id: 'phone' } as Party, { id: 'other' } as Party]
const consultation = { accountId: 'a' } as Consulting
const requested = { rings: Promise.resolve() } as PendingRequest

const active = () => {
  const moves: CallInput[] = []
  const progress = new CallProgress((input) => moves.push(input))
  assert.ok(progress.answer())
  return { progress, moves }
}

test('keeps the leaving party and the pending request only during a transfer', () => {
  const { progress } = active()
  progress.keepWish(requested)
  assert.equal(progress.wished, undefined, 'there is no transfer yet')
  progress.beginTransfer(phone)
  progress.keepWish(requested)
  assert.deepEqual([progress.mayLeave(phone), progress.mayLeave(other), progress.wished], [true, false, requested])
  progress.transferFailed({ counts: false })
  assert.deepEqual([progress.state, progress.mayLeave(phone), progress.wished, progress.transfers], ['active', false, undefined, 0])
})

test('has no leaving party in an assistant transfer', () => {
  const { progress } = active()
  progress.beginTransfer(undefined)
  assert.equal(progress.mayLeave(phone), false)
  progress.transferred({ counts: true })
  assert.deepEqual([progress.state, progress.transfers], ['active', 1])
})

test('keeps the consultation until it is cancelled or completed', () => {
  const { progress, moves } = active()
  progress.beginTransfer(phone)
  progress.consult(consultation)
  assert.deepEqual([progress.consultation, progress.mayLeave(phone)], [consultation, false])
  assert.equal(progress.endConsultation({} as Consulting), false, 'that is another one')
  assert.ok(progress.completeConsultation(consultation))
  assert.deepEqual([progress.state, progress.consultation], ['transferring', consultation])
  assert.equal(progress.endConsultation(consultation), false, 'too late')
  progress.transferred({ counts: true })
  assert.deepEqual([progress.state, progress.consultation, progress.transfers], ['active', undefined, 1])
  assert.deepEqual(moves, ['answer', 'transfer', 'consult', 'transfer', 'transferred'])
})

test('keeps no consultation and rejects transitions after the end', () => {
  const { progress } = active()
  progress.beginTransfer(phone)
  progress.consult(consultation)
  assert.ok(progress.end())
  assert.deepEqual([progress.state, progress.consultation], ['ended', undefined])
  assert.deepEqual([progress.end(), progress.ring(), progress.beginTransfer(phone)], [false, false, false])
})
