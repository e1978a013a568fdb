import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, message, office, openDoorman } from '#test/phones/open-source-filter.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import type { SourceFilter } from './source-filter.ts'

const methods = ['REGISTER', 'INVITE', 'OPTIONS'] as const
const requests = methods.map((method) => message(`${method} sip:a@b SIP/2.0\nVia: SIP/2.0/UDP x;branch=z9hG4bK1\nTo: <sip:a@b>\n\n`))
const request = (method: (typeof methods)[number]): Uint8Array => requests[methods.indexOf(method)]!

/** Sends messages from ever new sources. */
const forger = (sourceFilter: SourceFilter) => {
  let sent = 0
  return (count: number, method: (typeof methods)[number]): number => {
    let admitted = 0
    for (let n = 0; n < count; n++) {
      const source = Math.imul(++sent, 0x9e3779b1) >>> 0
      const address = `${1 + ((source >>> 24) % 126)}.${(source >>> 16) & 255}.${(source >>> 8) & 255}.${source & 255}`
      if (sourceFilter.admits(request(method), at(address, 'udp', 1_024 + (source % 60_000)))) admitted++
    }
    return admitted
  }
}

test('limits all unproven sources together, leaves room for new phones, and admits proven ones', async () => {
  const { clock, sourceFilter, admitted, shed, floods } = openDoorman(['198.51.100.1'], ['198.51.100.2'])
  sourceFilter.expect({
    message: ({ callId }) => callId === 'ours',
    nonce: (nonce, { address }) => nonce === 'fresh' && address === '192.0.2.8',
  })
  sourceFilter.phoneIsAt(office)
  const forged = forger(sourceFilter)
  assert.equal(forged(10_000, 'INVITE'), 400)
  assert.equal(admitted(1, at('192.0.2.9'), request('OPTIONS')), 0)
  assert.equal(admitted(1, at('192.0.2.9'), request('REGISTER')), 1, 'a phone that was never there before')
  const [fresh, bye] = ['REGISTER sip:b SIP/2.0\nAuthorization: Digest nonce="fresh"\n\n', 'BYE sip:b SIP/2.0\nTo: <a>;tag=1\ni: ours\n\n']
  assert.equal(forged(10_000, 'REGISTER'), 999)
  assert.equal(admitted(1, at('192.0.2.9'), request('REGISTER')), 0)
  assert.equal(admitted(1, at('192.0.2.8'), message(fresh)), 1, 'it has our nonce')
  assert.equal(admitted(1, at('192.0.2.7'), message(bye)), 1, 'of a running call')
  for (const from of [office, at('198.51.100.1'), at('198.51.100.2'), at('192.0.2.1', 'udp', 40_000)])
    for (const method of ['REGISTER', 'INVITE'] as const) assert.equal(admitted(10, from, request(method)), 10, from.address)
  assert.equal(admitted(10, at('192.0.2.9', 'tcp'), request('REGISTER')), 10, 'nobody forges a connection')
  await clock.advance(1_000)
  assert.equal(forged(10_000, 'INVITE'), 200)
  assert.equal(forged(10_000, 'REGISTER'), 500)
  assert.deepEqual([sourceFilter.dropped.unproven, floods], [37_903, []])
  await clock.advance(59_000)
  forged(10_000, 'INVITE')
  assert.deepEqual(shed, [1, 37_903], 'reported once a minute')
})

test('a new phone that repeats its REGISTER gets through a flood of REGISTERs', async () => {
  const { clock, sourceFilter, admitted } = openDoorman()
  const forged = forger(sourceFilter)
  const register = (from: Flow): number => admitted(1, from, request('REGISTER'))
  const phones = Array.from({ length: 20 }, (_, n) => at(`203.0.113.${n}`, 'udp', 5_060 + n))
  let [first, second] = [0, 0]
  for (const phone of phones) {
    forged(2_000, 'REGISTER')
    first += register(phone)
    for (let ms = 0; ms < 500; ms += 10) {
      forged(100, 'REGISTER')
      await clock.advance(10)
    }
    forged(100, 'REGISTER')
    second += register(phone)
  }
  assert.equal(first, 0)
  assert.ok(second >= 18, `${second} of ${phones.length} at the second time`)
})

test('limits repetitions of unproven sources, too', async () => {
  const { clock, sourceFilter } = openDoorman()
  const twice = (): number =>
    Array.from({ length: 5_000 }, (_, n) => sourceFilter.admits(request('INVITE'), at(`10.0.${n >> 8}.${n & 255}`))).filter(Boolean).length
  assert.equal(twice(), 400)
  await clock.advance(500)
  assert.equal(twice(), 100 + 200)
})

test('a flooding source takes no tokens from other new phones', () => {
  const { sourceFilter, admitted, spray } = openDoorman()
  assert.equal(spray(20_000), 120)
  for (let n = 0; n < 200; n++) assert.equal(admitted(1, at(`203.0.113.${n}`), request('INVITE')), 1)
  assert.equal(sourceFilter.dropped.unproven, 0)
})

test('a thousand flooding sources leave others their tokens, in a table of fixed size', () => {
  const { sourceFilter } = openDoorman()
  for (let n = 0; n < 1_000; n++) {
    const flooder = at(`10.1.${n >> 8}.${n & 255}`)
    sourceFilter.phoneIsAt({ ...flooder, port: 1 })
    for (let sent = 0; sent < 100; sent++) sourceFilter.admits(request('INVITE'), flooder)
  }
  const others = Array.from({ length: 300 }, (_, n) => at(`172.20.${n >> 8}.${n & 255}`))
  assert.equal(others.filter((from) => sourceFilter.admits(request('INVITE'), from)).length, 300)
})

test("limits a trunk's INVITEs, but not messages of its calls", async () => {
  const { clock, sourceFilter, admitted } = openDoorman([], ['198.51.100.2'])
  sourceFilter.expect({ message: ({ callId }) => callId === 'ours', nonce: () => false })
  const trunk = at('198.51.100.2')
  assert.equal(admitted(5_000, trunk, request('INVITE')), 2_000)
  assert.equal(admitted(5_000, trunk, request('OPTIONS')), 5_000)
  assert.equal(admitted(5_000, trunk, message('INVITE sip:b SIP/2.0\nTo: <a>;tag=1\ni: ours\n\n')), 5_000)
  assert.equal(sourceFilter.dropped.trunk, 3_000)
  await clock.advance(1_000)
  assert.equal(admitted(5_000, trunk, request('INVITE')), 1_000)
})
