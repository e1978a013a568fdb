// test: real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { at, message, office, openDoorman } from '#test/phones/open-source-filter.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { SourceFilter } from './source-filter.ts'
import { glanceAt, isScanner, isSipResponse } from './first-glance.ts'
import { isLoopback, networks, plainAddress } from '../transport/networks.ts'
import { leastEffortMs } from '#test/chance/effort.ts'

const options = message('OPTIONS sip:a@example.org SIP/2.0\nVia: SIP/2.0/UDP x\nUser-Agent: Phone 1.0\n\n')
const ok = message('SIP/2.0 200 OK\nVia: SIP/2.0/UDP x\n\n')
const scan = message('OPTIONS sip:100@1.1.1.1 SIP/2.0\nVia: SIP/2.0/UDP x\nuser-agent : friendly-scanner\n\n')

test('drops excess messages without further effect, and admits others a moment later', async () => {
  const { clock, admitted, spray, bans, floods } = openDoorman()
  assert.equal(admitted(100), 60)
  assert.equal(spray(500), 60, 'all strangers of one address together')
  assert.equal(admitted(1, at('192.0.2.2')), 1)
  await clock.advance(1_000)
  assert.equal(admitted(100), 20)
  assert.equal(spray(500), 20)
  assert.deepEqual(bans, [])
  assert.deepEqual(floods, ['192.0.2.1'], 'told once a minute')
})

test('treats an IPv6 network, and both notations of an IPv4 address, as one source', () => {
  const { admitted, spray, sourceFilter } = openDoorman()
  assert.equal(spray(200, '2001:db8:1:2::1'), 120)
  assert.equal(admitted(1, at('2001:db8:1:2:3::7')), 0)
  assert.equal(admitted(1, at('2001:db8:1:3::1')), 1)
  for (let tries = 0; tries < 11; tries++) sourceFilter.mayTryPassword(at('192.0.2.1', 'tcp'), `e${tries}`)
  assert.equal(sourceFilter.connectionsFor('::ffff:192.0.2.1'), 0)
})

test('admits forty phones of an unknown office together, over one socket or forty, over UDP or TCP', () => {
  for (const kind of ['udp', 'tcp'] as const) {
    for (const port of [() => 5060, (n: number) => 10_000 + n]) {
      const { sourceFilter, bans } = openDoorman()
      for (let phone = 0; phone < 40; phone++) {
        assert.equal(sourceFilter.admits(options, at('192.0.2.1', kind, port(phone))), true, `${kind} ${phone}`)
        assert.equal(sourceFilter.mayTryPassword(at('192.0.2.1', kind, port(phone)), `e${phone}`), true, `${kind} ${phone}`)
        sourceFilter.passwordWasRight(at('192.0.2.1', kind, port(phone)), `e${phone}`)
      }
      assert.deepEqual(bans, [])
    }
  }
})

test("a forged flood takes no tokens from the address's phones and connections", () => {
  const { sourceFilter, admitted, spray } = openDoorman()
  const phone = at('192.0.2.1', 'udp', 40_001)
  sourceFilter.phoneIsAt(phone)
  spray(20_000)
  assert.equal(spray(1), 0)
  assert.equal(admitted(500, phone), 500)
  assert.equal(admitted(40, at('192.0.2.1', 'tcp', 40_002)), 40)
  assert.equal(sourceFilter.connectionsFor('192.0.2.1'), 500)
})

test('admits an expected message despite a flood from the same socket', () => {
  const { sourceFilter, admitted } = openDoorman()
  sourceFilter.expect({
    message: ({ isResponse, branch, callId, toTag }) => (isResponse ? branch === 'z9hG4bKours' : callId === 'c1' && toTag === 'ours'),
    nonce: (nonce, { address }) => nonce === 'fresh' && address === office.address,
  })
  assert.equal(admitted(1_000), 60)
  assert.equal(admitted(1_000, office, ok), 0)
  const bye = message('BYE sip:a@b SIP/2.0\nv: SIP/2.0/UDP x;branch=z9hG4bK1\nt: <sip:a@b;x=y>;tag=ours\ni:c1\n\n')
  assert.equal(admitted(1_000, office, bye), 1_000)
  const answer = message('SIP/2.0 200 OK\nVia: SIP/2.0/UDP x;rport;branch=z9hG4bKours\nVia: SIP/2.0/UDP y;branch=other\n\n')
  assert.equal(admitted(1_000, office, answer), 1_000)
  const proving = message('REGISTER sip:b SIP/2.0\nAuthorization: Digest realm="r", cnonce="stale", nonce="fresh"\n\n')
  assert.equal(admitted(1_000, office, proving), 120, 'whoever is really there can get a nonce, so these are counted, too')
  assert.equal(admitted(1, at('192.0.2.9'), proving), 1)
  for (const unknown of [
    'BYE sip:a@b SIP/2.0\nTo: <sip:a@b>;tag=ours\nCall-ID: c2\n\n',
    'BYE sip:a@b SIP/2.0\n\nTo: <sip:a@b>;tag=ours\nCall-ID: c1',
  ])
    assert.equal(admitted(1, office, message(unknown)), 0)
})

test('allows eight times as many responses', () => {
  const { admitted } = openDoorman()
  assert.equal(admitted(1_000, office, ok), 480)
})

test('trusted sources have no limits, and changes of trust take effect', () => {
  let trusted = true
  const sourceFilter = new SourceFilter({ clock: new VirtualClock(), trusted: () => trusted })
  const admitted = (count: number): number => Array.from({ length: count }, () => sourceFilter.admits(scan, office)).filter(Boolean).length
  assert.equal(admitted(100), 100)
  for (let tries = 0; tries < 50; tries++) assert.equal(sourceFilter.mayTryPassword(office, 'e0'), true)
  assert.equal(sourceFilter.queueOf(office), undefined)
  trusted = false
  assert.equal(admitted(100), 0)
  trusted = true
  assert.equal(admitted(100), 100)
})

test('trusts addresses, not their network', () => {
  const { admitted } = openDoorman(['2001:db8::5'])
  assert.equal(admitted(100, at('2001:db8::5')), 100)
  assert.equal(admitted(100, at('2001:db8::6')), 60)
  assert.equal(admitted(100, at('2001:db8::5')), 100)
})

test('binds a nonce to its receiver; behind our own proxy and over connections, which cannot be forged, it is valid everywhere', () => {
  const { sourceFilter } = openDoorman(['198.51.100.1'])
  assert.notEqual(sourceFilter.placeOf(office), sourceFilter.placeOf(at('192.0.2.2')))
  assert.equal(sourceFilter.placeOf(office), sourceFilter.placeOf(at('192.0.2.1', 'udp', 9)))
  for (const from of [at('198.51.100.1'), at('192.0.2.1', 'tcp'), at('192.0.2.1', 'wss')]) assert.equal(sourceFilter.placeOf(from), '')
})

test('drops scanners without banning the source, which may be forged', () => {
  const { admitted, bans } = openDoorman()
  assert.equal(admitted(3, office, scan), 0)
  assert.equal(admitted(3), 3)
  assert.deepEqual(bans, [])
})

test('malformed messages count twice', () => {
  const { admitted, sourceFilter, bans } = openDoorman()
  for (let sent = 0; sent < 30; sent++) {
    assert.equal(admitted(1), 1)
    sourceFilter.malformed(office)
  }
  assert.equal(admitted(1), 0)
  assert.deepEqual(bans, [])
})

test('bans for five minutes after ten wrong passwords in a minute, for any users', async () => {
  const { clock, bans, admitted, tries } = openDoorman()
  assert.ok(tries(10).every(Boolean))
  await clock.advance(60_000)
  assert.ok(tries(10).every(Boolean), 'a minute later they are forgotten')
  assert.deepEqual(tries(1), [false])
  assert.deepEqual(bans, ['192.0.2.1: wrong passwords'])
  await clock.advance(299_999)
  assert.equal(admitted(5), 0)
  await clock.advance(1)
  assert.equal(admitted(5), 5)
})

test('a ban over UDP does not affect TCP, TLS or WebSocket, and vice versa', () => {
  const streams = (['tcp', 'tls', 'ws', 'wss'] as const).map((kind) => at('192.0.2.1', kind))
  const overUdp = openDoorman()
  assert.equal(overUdp.tries(11).at(-1), false)
  assert.equal(overUdp.admitted(1), 0)
  for (const from of streams) assert.equal(overUdp.admitted(1, from), 1)
  assert.equal(overUdp.sourceFilter.mayTryPassword(at('192.0.2.1', 'tls'), 'e0'), true)
  assert.equal(overUdp.sourceFilter.connectionsFor('192.0.2.1'), 50)
  const overTls = openDoorman()
  overTls.tries(11, at('192.0.2.1', 'tls'))
  for (const from of streams) assert.equal(overTls.admitted(1, from), 0)
  assert.equal(overTls.sourceFilter.connectionsFor('192.0.2.1'), 0)
  assert.equal(overTls.admitted(1), 1)
})

test('password guessing locks out neither known phones nor their users', () => {
  const { sourceFilter, admitted, tries, bans } = openDoorman()
  const desk = at('192.0.2.1', 'udp', 40_001)
  sourceFilter.passwordWasRight(desk, 'desk')
  assert.equal(tries(101).at(-1), false)
  assert.equal(bans.length, 1)
  assert.equal(admitted(1), 0)
  assert.equal(admitted(1, desk), 1)
  assert.equal(sourceFilter.mayTryPassword(desk, 'desk'), true)
  assert.equal(sourceFilter.mayTryPassword(desk, 'victim'), false)
  for (let guess = 0; guess < 9; guess++) sourceFilter.mayTryPassword(office, 'desk')
  assert.equal(sourceFilter.mayTryPassword(office, 'desk'), false, 'nor can they be guessed more than ten times')
})

test('one phone with a wrong password does not lock out its office', async () => {
  const { clock, sourceFilter, bans, spray } = openDoorman()
  assert.equal(sourceFilter.mayTryPassword(office, 'good'), true)
  sourceFilter.passwordWasRight(office, 'good')
  for (let tries = 0; tries < 10; tries++) assert.equal(sourceFilter.mayTryPassword(office, 'bad'), true)
  assert.equal(sourceFilter.mayTryPassword(office, 'bad'), false)
  assert.equal(sourceFilter.mayTryPassword(office, 'good'), true)
  assert.deepEqual(bans, [])
  assert.equal(spray(1_200), 1_200, 'and hundreds of phones may come back at once after a power cut')
  await clock.advance(60_000)
  assert.equal(sourceFilter.mayTryPassword(office, 'bad'), true)
})

test('allows fifty connections per address, more for an office with authenticated phones', () => {
  const { sourceFilter } = openDoorman()
  assert.equal(sourceFilter.connectionsFor('192.0.2.1'), 50)
  sourceFilter.passwordWasRight(office, 'good')
  assert.equal(sourceFilter.connectionsFor('192.0.2.1'), 500)
  assert.equal(sourceFilter.connectionsFor('192.0.2.2'), 50)
})

test('a right password does not allow further guessing', () => {
  const { sourceFilter, bans } = openDoorman()
  let allowed = 0
  for (let round = 0; round < 1000; round++) {
    if (sourceFilter.mayTryPassword(office, 'mine')) sourceFilter.passwordWasRight(office, 'mine')
    if (sourceFilter.mayTryPassword(office, `victim${round}`)) allowed++
  }
  assert.ok(allowed <= 100, `${allowed}`)
  assert.equal(bans.length > 0, true)
})

test('a clock that is set back does not extend a ban', async () => {
  let now = 10_000_000
  const sourceFilter = new SourceFilter({ clock: { now: () => now, elapsed: () => now, after: () => () => {} }, trusted: () => false })
  for (let tries = 0; tries < 11; tries++) sourceFilter.mayTryPassword(office, `e${tries}`)
  assert.equal(sourceFilter.admits(options, office), false)
  now -= 7_200_000
  assert.equal(sourceFilter.admits(options, office), true)
})

test('a flood from new sources, or from one, costs a few microseconds per message', () => {
  const address = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  const flood = (from: (n: number) => Flow): void => {
    const { sourceFilter } = openDoorman()
    for (let n = 0; n < 100_000; n++) sourceFilter.admits(options, from(n))
  }
  for (const from of [(n: number) => at(address(n)), () => office]) {
    const ms = leastEffortMs(5_000, () => flood(from))
    assert.ok(ms < 5_000, `${ms / 100} µs each`)
  }
})

test('reads the identifying fields of a message in any notation', () => {
  const whole = message(
    'BYE sip:a SIP/2.0\nVIA : SIP/2.0/TCP x ; branch=z9hG4bK1;rport\nTo:<sip:a>;tag=2\nCALL-ID: 3@x\nProxy-Authorization: Digest nonce="4"\n\n',
  )
  assert.deepEqual(glanceAt(whole), { isResponse: false, branch: undefined, callId: '3@x', toTag: '2', nonce: '4' })
  const answer = message('SIP/2.0 200 OK\nVIA : SIP/2.0/TCP x ; branch=z9hG4bK1;rport\nTo:<sip:a>;tag=2\n\n')
  assert.equal(glanceAt(answer).branch, 'z9hG4bK1')
  const nothing = { isResponse: true, branch: undefined, callId: undefined, toTag: undefined, nonce: undefined }
  assert.deepEqual(glanceAt(ok), nothing)
  assert.deepEqual(glanceAt(message('')), { ...nothing, isResponse: false })
  const hostile = message(`OPTIONS sip:a SIP/2.0\n${'Via: '.repeat(200)}${'; '.repeat(1000)}\nTo:${' ;tag'.repeat(200)}\n`)
  assert.ok(leastEffortMs(100, () => glanceAt(hostile)) < 100)
})

test('detects responses and scanners from bytes', () => {
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

test('matches networks', () => {
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
