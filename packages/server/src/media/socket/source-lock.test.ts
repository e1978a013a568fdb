import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SourceLock } from './source-lock.ts'

const phone = { address: '192.0.2.7', port: 4000 }
const otherPort = { address: '192.0.2.7', port: 61_000 }
const router = { address: '203.0.113.5', port: 50_000 }
const outsider = { address: '198.51.100.9', port: 4000 }

const hears = (lock: SourceLock, from: { address: string; port: number }, nowMs = 0): boolean => {
  const admitted = lock.admits(from, nowMs)
  if (admitted) lock.confirm(from, nowMs)
  return admitted
}

test('locks the signalled sender immediately and accepts no other', () => {
  const lock = new SourceLock(phone, [router.address])
  assert.ok(hears(lock, phone))
  assert.deepEqual(lock.locked, phone)
  for (const other of [otherPort, router, outsider]) assert.ok(!hears(lock, other))
  assert.ok(hears(lock, phone))
})

for (const [what, sender] of [
  ['another port of the signalled address', otherPort],
  ['the address that the messages come from', router],
] as const) {
  test(`locks ${what} after five packets`, () => {
    const lock = new SourceLock(phone, [router.address])
    for (let i = 0; i < 4; i++) assert.ok(hears(lock, sender))
    assert.equal(lock.locked, undefined)
    assert.ok(hears(lock, sender))
    assert.deepEqual(lock.locked, sender)
    assert.ok(!hears(lock, phone))
  })
}

test('never accepts an unknown source: first, repeated, or after silence', () => {
  const lock = new SourceLock(phone, [router.address, '192.0.3.0/24'])
  for (let i = 0; i < 100; i++) assert.ok(!hears(lock, outsider))
  assert.equal(lock.locked, undefined)
  assert.ok(hears(lock, phone, 1_000))
  for (let i = 0; i < 100; i++) assert.ok(!hears(lock, outsider, 60_000 + i))
  assert.deepEqual(lock.locked, phone)
})

test('alternating senders do not add up before the lock, and the signalled one wins', () => {
  const lock = new SourceLock(phone, [router.address])
  for (let i = 0; i < 10; i++) hears(lock, i % 2 === 0 ? otherPort : router)
  assert.equal(lock.locked, undefined)
  assert.ok(hears(lock, phone))
  assert.deepEqual(lock.locked, phone)
})

test('a sender may change its port, or come back, after 1.5 seconds of silence', () => {
  const lock = new SourceLock(phone, [router.address])
  hears(lock, phone, 1_000)
  assert.ok(!hears(lock, otherPort, 2_400))
  assert.ok(!lock.isQuiet(2_500))
  assert.ok(lock.isQuiet(2_501))
  assert.ok(hears(lock, otherPort, 2_520))
  assert.deepEqual(lock.locked, phone, 'one packet is not enough')
  assert.ok(hears(lock, phone, 2_530))
  for (let i = 0; i < 5; i++) assert.ok(!hears(lock, otherPort, 2_540), 'it was only a pause')
  for (let i = 0; i < 5; i++) assert.ok(hears(lock, otherPort, 5_000 + i))
  assert.deepEqual(lock.locked, otherPort)
  assert.ok(!hears(lock, phone, 5_010))
})

test('accepts reports from any port of the locked sender, and from every permitted one before the lock', () => {
  const lock = new SourceLock(phone, [router.address])
  const taken = (nowMs: number) => [phone, router, outsider].map(({ address }) => lock.admitsReports(address, nowMs))
  assert.deepEqual(taken(0), [true, true, false])
  hears(lock, phone, 1_000)
  assert.deepEqual(taken(1_000), [true, false, false])
  assert.deepEqual(taken(9_000), [true, true, false])
})

test('accepts a sender with the right key at any address after five packets', () => {
  const lock = new SourceLock(phone, [])
  lock.confirm(phone, 0)
  for (let i = 0; i < 4; i++) lock.confirm(outsider, 20)
  assert.deepEqual(lock.locked, phone)
  lock.confirm(outsider, 20)
  assert.deepEqual(lock.locked, outsider)
})

test('matches networks of both families and all spellings of an address', () => {
  const lock = new SourceLock({ address: '2001:db8::7', port: 4000 }, ['203.0.113.0/24', '2001:db8:5::/48', '::ffff:192.0.2.9'])
  for (const address of ['2001:db8:0:0:0:0:0:7', '203.0.113.255', '2001:db8:5:1:0:0:0:1', '192.0.2.9'])
    assert.ok(lock.permits(address), address)
  for (const address of ['203.0.114.1', '2001:db8:6:0:0:0:0:1', '192.0.2.8']) assert.ok(!lock.permits(address), address)
})
