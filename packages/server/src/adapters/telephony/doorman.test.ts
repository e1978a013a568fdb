import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../../../test/support/virtual-clock.ts'
import { Doorman } from './doorman.ts'
import { isScanner, isSipResponse } from './first-glance.ts'
import { isLoopback, networks, plainAddress } from './networks.ts'
import { leastEffortMs } from '../../../../../test/support/effort.ts'

const message = (text: string): Uint8Array => Buffer.from(text.replaceAll('\n', '\r\n'))
const options = message('OPTIONS sip:a@example.org SIP/2.0\nVia: SIP/2.0/UDP x\nUser-Agent: Phone 1.0\n\n')
const ok = message('SIP/2.0 200 OK\nVia: SIP/2.0/UDP x\n\n')
const scan = message('OPTIONS sip:100@1.1.1.1 SIP/2.0\nVia: SIP/2.0/UDP x\nuser-agent : friendly-scanner\n\n')

const doormanWith = (trusted: readonly string[] = []) => {
  const clock = new VirtualClock()
  const bans: string[] = []
  const isTrusted = networks(trusted)
  const doorman = new Doorman({ clock, trusted: isTrusted, onBan: (address, why) => bans.push(`${address}: ${why}`) })
  const admitted = (count: number, address = '192.0.2.1', what = options): number =>
    Array.from({ length: count }, () => doorman.admits(what, address)).filter(Boolean).length
  return { clock, doorman, bans, admitted }
}

test('sixteen requests at once and eight more each second are fine, one more is a ban of five minutes', async () => {
  const { clock, admitted, bans } = doormanWith()
  assert.equal(admitted(16), 16)
  await clock.advance(1_000)
  assert.equal(admitted(8), 8)
  assert.deepEqual(bans, [])
  assert.equal(admitted(1), 0)
  assert.deepEqual(bans, ['192.0.2.1: too many messages'])
  await clock.advance(299_999)
  assert.equal(admitted(5), 0)
  await clock.advance(1)
  assert.equal(admitted(16), 16)
})

test('others are not touched by a ban; an IPv6 network is one source, and so is an IPv4 address in either notation', () => {
  const { admitted, doorman } = doormanWith()
  admitted(17)
  assert.equal(admitted(1), 0)
  assert.equal(doorman.connectionsFor('192.0.2.1'), 0)
  assert.equal(doorman.connectionsFor('::ffff:192.0.2.1'), 0)
  assert.equal(admitted(1, '192.0.2.2'), 1)
  assert.equal(admitted(8, '2001:db8:1:2::1') + admitted(8, '2001:db8:1:2:ffff::9'), 16)
  assert.equal(admitted(1, '2001:db8:1:2:3::7'), 0)
  assert.equal(admitted(1, '2001:db8:1:3::1'), 1)
})

test('responses may be ten times as many', () => {
  const { admitted } = doormanWith()
  assert.equal(admitted(200, '192.0.2.1', ok), 160)
})

test('trusted sources have no limits, and are known anew when that changes', () => {
  let trusted = true
  const doorman = new Doorman({ clock: new VirtualClock(), trusted: () => trusted })
  const admitted = (count: number): number => Array.from({ length: count }, () => doorman.admits(scan, '192.0.2.1')).filter(Boolean).length
  assert.equal(admitted(100), 100)
  for (let tries = 0; tries < 50; tries++) assert.equal(doorman.mayTryPassword('192.0.2.1', 'e0'), true)
  trusted = false
  doorman.recheck()
  assert.equal(admitted(100), 0)
  trusted = true
  doorman.recheck()
  assert.equal(admitted(100), 100)
})

test('trust is for addresses, not for what is near them', () => {
  const { admitted } = doormanWith(['2001:db8::5'])
  assert.equal(admitted(100, '2001:db8::5'), 100)
  assert.equal(admitted(100, '2001:db8::6'), 16)
  assert.equal(admitted(100, '2001:db8::5'), 100)
})

test('scanners are not answered, but nobody is banned for what others send in their name', () => {
  const { admitted, bans } = doormanWith()
  assert.equal(admitted(3, '192.0.2.1', scan), 0)
  assert.equal(admitted(3), 3)
  assert.deepEqual(bans, [])
})

test('what cannot be read counts twice', () => {
  const { admitted, doorman, bans } = doormanWith()
  for (let sent = 0; sent < 8; sent++) {
    assert.equal(admitted(1), 1)
    doorman.malformed('192.0.2.1')
  }
  assert.deepEqual(bans, [])
  assert.equal(admitted(1), 0)
})

test('ten wrong passwords in a minute, for whomever, end in a ban', async () => {
  const { clock, doorman, bans } = doormanWith()
  const tries = (count: number): boolean[] => Array.from({ length: count }, (_, index) => doorman.mayTryPassword('192.0.2.1', `e${index}`))
  assert.ok(tries(10).every(Boolean))
  await clock.advance(60_000)
  assert.ok(tries(10).every(Boolean), 'a minute later they are forgotten')
  assert.deepEqual(tries(1), [false])
  assert.deepEqual(bans, ['192.0.2.1: wrong passwords'])
  assert.equal(doorman.admits(options, '192.0.2.1'), false)
})

test('one phone with a wrong password does not shut out the office where others log in', async () => {
  const { clock, doorman, bans, admitted } = doormanWith()
  assert.equal(doorman.mayTryPassword('192.0.2.1', 'good'), true)
  doorman.passwordWasRight('192.0.2.1', 'good')
  for (let tries = 0; tries < 10; tries++) assert.equal(doorman.mayTryPassword('192.0.2.1', 'bad'), true)
  assert.equal(doorman.mayTryPassword('192.0.2.1', 'bad'), false)
  assert.equal(doorman.mayTryPassword('192.0.2.1', 'good'), true)
  assert.deepEqual(bans, [])
  assert.equal(admitted(160), 160, 'and fifty phones may come back at once after a power cut')
  await clock.advance(60_000)
  assert.equal(doorman.mayTryPassword('192.0.2.1', 'bad'), true)
})

test('twenty connections for each address, more for an office where phones log in', () => {
  const { doorman } = doormanWith()
  assert.equal(doorman.connectionsFor('192.0.2.1'), 20)
  doorman.passwordWasRight('192.0.2.1', 'good')
  assert.equal(doorman.connectionsFor('192.0.2.1'), 200)
  assert.equal(doorman.connectionsFor('192.0.2.2'), 20)
})

test('a right password is no way to go on guessing', () => {
  const { doorman, bans } = doormanWith()
  let allowed = 0
  for (let round = 0; round < 1000; round++) {
    if (doorman.mayTryPassword('192.0.2.1', 'mine')) doorman.passwordWasRight('192.0.2.1', 'mine')
    if (doorman.mayTryPassword('192.0.2.1', `victim${round}`)) allowed++
  }
  assert.ok(allowed <= 100, `${allowed}`)
  assert.equal(bans.length > 0, true)
})

test('a clock that was put back does not make a ban longer', async () => {
  let now = 10_000_000
  const doorman = new Doorman({ clock: { now: () => now, after: () => () => {} }, trusted: () => false })
  for (let sent = 0; sent < 17; sent++) doorman.admits(options, '192.0.2.1')
  assert.equal(doorman.admits(options, '192.0.2.1'), false)
  now -= 7_200_000
  assert.equal(doorman.admits(options, '192.0.2.1'), true)
})

test('a flood from ever new sources costs a few microseconds for each message', () => {
  const address = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  const flood = (): void => {
    const { doorman } = doormanWith()
    for (let n = 0; n < 100_000; n++) doorman.admits(options, address(n))
  }
  const ms = leastEffortMs(5_000, flood)
  assert.ok(ms < 5_000, `${ms / 100} µs each`)
})

test('what bytes tell at first glance', () => {
  assert.equal(isSipResponse(ok), true)
  assert.equal(isSipResponse(options), false)
  assert.equal(isScanner(scan), true)
  assert.equal(isScanner(options), false)
  const inBody = message('MESSAGE sip:a@b SIP/2.0\nContent-Length: 30\n\nUser-Agent: friendly-scanner\n')
  assert.equal(isScanner(inBody), false)
  assert.equal(isScanner(message('OPTIONS sip:friendly-scanner@b SIP/2.0\nFrom: sipvicious <sip:x@y>\n\n')), false)
  assert.equal(isScanner(message('')), false)
  assert.equal(isScanner(message('OPTIONS sip:a@b SIP/2.0\nUser-Agent: SIPVicious')), true)
})

test('networks', () => {
  const holds = networks(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32'])
  for (const address of ['192.0.2.255', '198.51.100.7', '2001:db8:1::1', '::ffff:192.0.2.1']) assert.equal(holds(address), true, address)
  for (const address of ['192.0.3.0', '198.51.100.8', '2001:db9::1', '', 'example.org', '0300.0.2.1'])
    assert.equal(holds(address), false, address)
  for (const wrong of ['', 'example.org', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', '::/129'])
    assert.throws(() => networks([wrong]), /neither/, wrong)
  assert.equal(isLoopback('127.9.9.9'), true)
  assert.equal(isLoopback('::1'), true)
  assert.equal(isLoopback('128.0.0.1'), false)
  assert.equal(plainAddress('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(plainAddress('2001:db8::1'), '2001:db8::1')
})
