import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadWith, toThreads, type SmsEntry } from './threads.ts'

const message = (id: string, more: Partial<SmsEntry>): SmsEntry => ({
  id,
  incoming: false,
  source: '+4915111',
  target: '+4915222',
  created: `2026-11-15T10:0${id}:00.000Z`,
  read: true,
  ...more,
})

test('joins messages of both directions with one number into a thread', () => {
  const threads = toThreads([
    message('4', { target: '+4915333' }),
    message('3', { incoming: true, source: '+4915222', target: '+4915111', read: false }),
    message('1', {}),
  ])
  assert.deepEqual(
    threads.map(({ number, entries, unread }) => ({ number, ids: entries.map(({ id }) => id), unread })),
    [
      { number: '+4915333', ids: ['4'], unread: 0 },
      { number: '+4915222', ids: ['1', '3'], unread: 1 },
    ],
  )
})

test('names a thread by the contact on the other side', () => {
  const grace = { id: 'c1', name: 'Grace Hopper' }
  const own = { id: 'c2', name: 'Our own number' }
  const incoming = message('3', { incoming: true, source: '+4915222', target: '+4915111', sourceContact: grace, targetContact: own })
  assert.deepEqual(toThreads([incoming])[0]?.contact, grace)
  assert.deepEqual(toThreads([message('1', { sourceContact: own, targetContact: grace })])[0]?.contact, grace)
  assert.equal(toThreads([message('1', { sourceContact: own })])[0]?.contact, undefined)
})

test('puts scheduled messages at the end of their thread', () => {
  const later = message('1', { smsStatusType: 'SCHEDULED', scheduled: '2026-11-20T10:00:00.000Z' })
  const [thread] = toThreads([message('5', {}), later])
  assert.deepEqual(
    thread?.entries.map(({ id }) => id),
    ['5', '1'],
  )
})

test('finds a thread by its number in any spelling', () => {
  const threads = toThreads([message('1', { target: '+4915112345678' }), message('2', { target: '+442079460124' })])
  for (const written of ['+4915112345678', '+49 151 12345678', '0151 / 1234 5678'])
    assert.equal(threadWith(threads, written)?.number, '+4915112345678', written)
  for (const other of ['new', '5678', '+4915112345679', '']) assert.equal(threadWith(threads, other), undefined, other)
})
