import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localBus, LocalHub } from '#adapters/bus/local-bus.ts'
import { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import { SpentTokens } from '#core/kernel/shared-state/spent-tokens.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Trunk, TrunkSettings } from '#core/kernel/ports/store/operate.ts'
import { trunkSettings } from '#core/account/trunks/trunk-settings.ts'
import type { Flow, TransportKind } from '@offhook/sip/transport/transport.ts'
import { TrunkCalls } from './trunk-calls.ts'
import { TrunkSources } from './trunks.ts'
import { trunkUri } from './kept-trunk.ts'

const trunk = (id: string, input: Partial<TrunkSettings> = {}): Trunk => ({
  id,
  name: id,
  settings: trunkSettings({ host: 'sip.carrier.example', ...input }, { hasPassword: true }),
  passwordSealed: undefined,
  active: true,
  createdAt: 0,
  updatedAt: 0,
})

const flow = (address: string, kind: TransportKind = 'udp'): Flow => ({ kind, address, port: 5060 })
const login = { username: 'u' }

test('matches a request to a trunk by the listed addresses, otherwise by those of its host', () => {
  const sources = new TrunkSources()
  sources.set([
    { trunk: trunk('listed', { ...login, sourceAddresses: ['192.0.2.0/24', '2001:db8::/32'] }), hostAddresses: ['198.51.100.1'] },
    { trunk: trunk('host', login), hostAddresses: ['203.0.113.1', '203.0.113.2'] },
  ])
  const found = (address: string): string | undefined => sources.find(flow(address))?.id
  assert.equal(found('192.0.2.200'), 'listed')
  assert.equal(found('2001:db8::9'), 'listed')
  assert.equal(found('198.51.100.1'), undefined, 'a list says it all')
  assert.equal(found('203.0.113.2'), 'host')
  assert.equal(found('203.0.113.3'), undefined)
  assert.equal(sources.holds('192.0.2.1'), true)
  assert.equal(sources.holds('198.51.100.1'), false)
})

test('rejects a weaker transport, over which the source could be forged', () => {
  const sources = new TrunkSources()
  sources.set([{ trunk: trunk('t', { ...login, transport: 'TLS' }), hostAddresses: ['192.0.2.1'] }])
  const kinds = ['udp', 'tcp', 'tls', 'ws', 'wss'] as const
  assert.deepEqual(
    kinds.filter((kind) => sources.find(flow('192.0.2.1', kind))),
    ['tls'],
  )
  sources.set([{ trunk: trunk('t', login), hostAddresses: ['192.0.2.1'] }])
  assert.deepEqual(
    kinds.filter((kind) => sources.find(flow('192.0.2.1', kind))),
    ['udp', 'tcp', 'tls'],
  )
})

test('chooses the called one of two trunks with one address, otherwise the preferred one', () => {
  const sources = new TrunkSources()
  const hostAddresses = ['192.0.2.1']
  sources.set([
    { trunk: trunk('second', { username: 'b', priority: 2 }), hostAddresses },
    { trunk: trunk('first', { username: 'a', priority: 1 }), hostAddresses },
  ])
  assert.equal(sources.find(flow('192.0.2.1'))?.id, 'first')
  assert.equal(sources.find(flow('192.0.2.1'), 'b')?.id, 'second')
  assert.equal(sources.find(flow('192.0.2.1'), '4930123')?.id, 'first')
  assert.equal(sources.among(['second', 'first'], 'udp')?.id, 'first', 'as our edge tells them')
  assert.equal(sources.among(['first', 'second'], 'udp', 'b')?.id, 'second')
  assert.equal(sources.among(['second'], 'ws'), undefined)
  assert.equal(sources.among(['gone'], 'udp'), undefined)
})

test('limits concurrent calls and calls per second to the agreement', async () => {
  const clock = new VirtualClock()
  const calls = new TrunkCalls(clock)
  const agreed = { maxCalls: 3, callsPerSecond: 2 }
  const begin = (direction: 'incoming' | 'outgoing', emergency = false) => calls.begin('t', agreed, { direction, emergency })
  const first = begin('outgoing')
  assert.ok(first && begin('outgoing'))
  assert.equal(begin('outgoing'), undefined, 'the third in this second')
  await clock.advance(500)
  assert.ok(begin('outgoing'))
  await clock.advance(1_000)
  assert.equal(begin('incoming'), undefined, 'the fourth at once')
  assert.equal(calls.running('t'), 3)
  assert.ok(begin('outgoing', true), 'the rescue services are always called')
  first()
  first()
  assert.equal(calls.running('t'), 3)
  assert.equal(calls.running('other'), 0)
})

test('a carrier may bring ten seconds’ worth of calls together', () => {
  const calls = new TrunkCalls(new VirtualClock())
  const started = Array.from({ length: 30 }, () => calls.begin('t', { maxCalls: 100, callsPerSecond: 2 }, { direction: 'incoming' }))
  assert.equal(started.filter(Boolean).length, 20)
})

test('reports capacity without counting a call', async () => {
  const clock = new VirtualClock()
  const calls = new TrunkCalls(clock)
  const agreed = { maxCalls: 12, callsPerSecond: 1 }
  const begin = () => calls.begin('t', agreed, { direction: 'incoming' })
  for (let asked = 0; asked < 100; asked++) assert.equal(calls.hasCapacity('t', agreed), true)
  const ends = Array.from({ length: 10 }, begin)
  assert.equal(calls.hasCapacity('t', agreed), false, 'too many in a second')
  await clock.advance(10_000)
  assert.ok(begin() && begin())
  assert.equal(calls.hasCapacity('t', agreed), false, 'too many at once')
  ends[0]?.()
  assert.equal(calls.hasCapacity('t', agreed), true)
})

/** Nodes that learn of each other's calls a moment later. */
const processes = (count: number): TrunkCalls[] => {
  const [hub, clock] = [new LocalHub(), new VirtualClock()]
  const names = Array.from({ length: count }, (_, index) => `p${index}`)
  return names.map((self, at) => {
    const parts = { bus: localBus(hub), self, clock, kind: 'trunks', peerNodes: { self, others: () => [], onChange: () => () => {} } }
    return new TrunkCalls(clock, {
      calls: new SharedState<number>({ ...parts, clock: { ...noTimers, now: () => 0 } }),
      place: () => ({ of: count, at }),
      begun: (spend) => new SpentTokens({ ...parts, intervalMs: 0, spend }),
    })
  })
}
const noTimers = { elapsed: () => 0, after: () => () => {} }
const heard = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('several nodes together keep to the agreement: hardly above, or with shares never', async () => {
  for (const [strictMaxCalls, immediately] of [
    [false, 30],
    [true, 10],
  ] as const) {
    const all = processes(3)
    const agreed = { maxCalls: 10, strictMaxCalls, callsPerSecond: 1_000 }
    const begin = (calls: TrunkCalls) => calls.begin('t', agreed, { direction: 'incoming' })
    const ends: (() => void)[] = []
    for (let round = 0; round < 20; round++) {
      for (const calls of all) ends.push(...[begin(calls)].filter((end) => end !== undefined))
      await heard()
    }
    assert.ok(ends.length >= 10 && ends.length <= (strictMaxCalls ? 10 : 12), `${ends.length}`)
    assert.deepEqual(
      all.map((calls) => calls.running('t')),
      [ends.length, ends.length, ends.length],
    )
    for (const end of ends) end()
    await heard()
    assert.equal(all[0]?.running('t'), 0)
    const together = all.flatMap((calls) => Array.from({ length: 20 }, () => begin(calls)).filter(Boolean)).length
    assert.equal(together, immediately, 'all in one moment')
  }
})

test('nodes count the calls started in a second together', async () => {
  const all = processes(3)
  const begin = (calls: TrunkCalls) => calls.begin('t', { maxCalls: 100, callsPerSecond: 5 }, { direction: 'outgoing' })
  for (const calls of all) begin(calls)?.()
  await heard()
  let started = 3
  for (let round = 0; round < 10; round++)
    for (const calls of all) {
      if (begin(calls)) started++
      await heard()
    }
  assert.equal(started, 5)
})

test('formats addresses of trunks', () => {
  const uri = (input: Partial<TrunkSettings>, user?: string): string => trunkUri(trunk('t', { ...login, ...input }).settings, user)
  assert.equal(uri({}), 'sip:sip.carrier.example;transport=udp')
  assert.equal(uri({ port: 5080 }, '+4930123'), 'sip:+4930123@sip.carrier.example:5080;transport=udp')
  assert.equal(uri({ transport: 'TLS' }, '110'), 'sip:110@sip.carrier.example;transport=tls')
  assert.equal(uri({ host: '192.0.2.1', transport: 'TCP' }), 'sip:192.0.2.1:5060;transport=tcp')
  assert.equal(uri({ host: '2001:db8::1' }), 'sip:[2001:db8::1]:5060;transport=udp')
  assert.equal(uri({}, 'a b@c'), 'sip:a%20b%40c@sip.carrier.example;transport=udp')
})
