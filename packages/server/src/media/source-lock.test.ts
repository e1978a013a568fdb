import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SourceLock } from './source-lock.ts'

const phone = { address: '192.0.2.7', port: 4000 }
const otherPort = { address: '192.0.2.7', port: 61_000 }
const stranger = { address: '198.51.100.9', port: 4000 }

const hears = (lock: SourceLock, from: { address: string; port: number }, ssrc = 1): boolean =>
  lock.admits(from) && lock.confirm(from, ssrc)

test('the signalled sender is locked at once, and nobody else is heard after it', () => {
  const lock = new SourceLock(phone, 'signalled')
  assert.ok(hears(lock, phone))
  assert.deepEqual(lock.locked, phone)
  assert.ok(!hears(lock, otherPort))
  assert.ok(!hears(lock, stranger))
  assert.ok(hears(lock, phone, 2), 'a new source of the same sender')
})

test('another port of the signalled address is locked after five packets', () => {
  const lock = new SourceLock(phone, 'signalled')
  for (let i = 0; i < 4; i++) assert.ok(hears(lock, otherPort))
  assert.equal(lock.locked, undefined)
  assert.ok(hears(lock, otherPort))
  assert.deepEqual(lock.locked, otherPort)
  assert.ok(!hears(lock, phone))
})

test('another address is never heard unless the phone is behind NAT', () => {
  const lock = new SourceLock(phone, 'signalled')
  for (let i = 0; i < 100; i++) assert.ok(!hears(lock, stranger))
  assert.equal(lock.locked, undefined)
})

test('behind NAT the first sender is believed, and then held to its address, port and source', () => {
  const lock = new SourceLock({ address: '10.0.0.2', port: 4000 }, 'behind-nat')
  assert.ok(hears(lock, phone))
  assert.ok(!hears(lock, stranger), 'somebody else while it is learned')
  for (let i = 0; i < 4; i++) assert.ok(hears(lock, phone))
  assert.deepEqual(lock.locked, phone)
  assert.ok(!hears(lock, stranger))
  assert.ok(!hears(lock, otherPort))
  assert.ok(!hears(lock, phone, 2))
  assert.ok(hears(lock, phone))
})

test('behind NAT the signalled sender goes before one that was only believed', () => {
  const lock = new SourceLock(phone, 'behind-nat')
  for (let i = 0; i < 4; i++) assert.ok(hears(lock, stranger))
  assert.ok(hears(lock, phone))
  assert.deepEqual(lock.locked, phone)
  assert.ok(!hears(lock, stranger))
})

test('two sources that alternate before the lock do not add up', () => {
  const lock = new SourceLock({ address: '10.0.0.2', port: 4000 }, 'behind-nat')
  for (let i = 0; i < 10; i++) hears(lock, phone, i % 2)
  assert.equal(lock.locked, undefined)
})

test('an address is the same in each of its spellings', () => {
  const lock = new SourceLock({ address: '2001:db8::7', port: 4000 }, 'signalled')
  assert.ok(hears(lock, { address: '2001:db8:0:0:0:0:0:7', port: 4000 }))
})
