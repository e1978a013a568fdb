import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startDnsServer, type Zone } from '#test/machine/dns-server.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { parseUri } from '@offhook/sip/grammar/uri.ts'
import { Resolver } from './resolver.ts'

const open = async (t: TestContext, zone: Zone) => {
  const dns = await startDnsServer(t, zone)
  const clock = new VirtualClock()
  const resolver = new Resolver({ clock, families: [4], servers: [dns.address], random: () => 0 })
  t.after(() => resolver.close())
  const find = async (uri: string): Promise<string[]> => (await resolver.locate(parseUri(uri))).map(asText)
  return { dns, clock, resolver, find }
}

const asText = ({ kind, address, port, serverName = '' }: Flow): string => `${kind} ${address}:${port} ${serverName}`.trim()

const carrier: Zone = {
  'carrier.example': [
    { type: 'NAPTR', order: 10, preference: 20, service: 'SIP+D2U', replacement: '_sip._udp.carrier.example' },
    { type: 'NAPTR', order: 10, preference: 10, service: 'SIPS+D2T', replacement: '_sips._tcp.carrier.example' },
  ],
  '_sips._tcp.carrier.example': [{ type: 'SRV', priority: 1, weight: 0, port: 5061, name: 'a.carrier.example' }],
  '_sip._udp.carrier.example': [
    { type: 'SRV', priority: 2, weight: 0, port: 5060, name: 'b.carrier.example' },
    { type: 'SRV', priority: 1, weight: 0, port: 5080, name: 'a.carrier.example' },
  ],
  'a.carrier.example': [{ type: 'A', address: '192.0.2.1', ttl: 20 }],
  'b.carrier.example': [{ type: 'A', address: '192.0.2.2' }],
}

test("follows NAPTR to SRV to addresses, in the domain's order", async (t) => {
  const { find } = await open(t, carrier)
  assert.deepEqual(await find('sip:carrier.example'), ['tls 192.0.2.1:5061 carrier.example', 'udp 192.0.2.1:5080', 'udp 192.0.2.2:5060'])
  assert.deepEqual(await find('sip:carrier.example;transport=udp'), ['udp 192.0.2.1:5080', 'udp 192.0.2.2:5060'])
  assert.deepEqual(await find('sip:b.carrier.example:5090'), ['udp 192.0.2.2:5090'])
  assert.deepEqual(await find('sip:nobody.example'), [])
})

test('caches DNS answers for their TTL, also negative ones', async (t) => {
  const { find, dns, clock } = await open(t, carrier)
  const uri = 'sip:a.carrier.example:5060'
  await Promise.all([find(uri), find(uri), find(uri)])
  assert.deepEqual(dns.asked, ['A a.carrier.example'], 'one question for all who wait')
  await clock.advance(19_999)
  await find(uri)
  assert.equal(dns.asked.length, 1)
  dns.zone['a.carrier.example'] = [{ type: 'A', address: '192.0.2.9' }]
  await clock.advance(1)
  assert.deepEqual(await find(uri), ['udp 192.0.2.9:5060'])
  dns.asked.length = 0
  await find('sip:nobody.example:5060')
  await find('sip:nobody.example:5060')
  assert.deepEqual(dns.asked, ['A nobody.example'])
  dns.zone['nobody.example'] = [{ type: 'A', address: '192.0.2.4' }]
  await clock.advance(30_000)
  assert.deepEqual(await find('sip:nobody.example:5060'), ['udp 192.0.2.4:5060'])
})

test('keeps the last answer while DNS fails', async (t) => {
  const { find, dns, clock } = await open(t, carrier)
  const uri = 'sip:carrier.example;transport=udp'
  const before = await find(uri)
  dns.failing = true
  for (let minutes = 0; minutes < 10; minutes++) {
    await clock.advance(60_000)
    assert.deepEqual(await find(uri), before)
  }
  assert.deepEqual(await find('sip:new.example:5060'), [])
  dns.failing = false
  dns.zone['new.example'] = [{ type: 'A', address: '192.0.2.7' }]
  dns.zone['_sip._udp.carrier.example'] = []
  await clock.advance(5_000)
  assert.deepEqual(await find('sip:new.example:5060'), ['udp 192.0.2.7:5060'])
})

test('tries an unresponsive server last for half a minute', async (t) => {
  const { find, clock, resolver } = await open(t, carrier)
  const uri = 'sip:carrier.example;transport=udp'
  resolver.avoid({ kind: 'udp', address: '192.0.2.1', port: 5080 })
  assert.deepEqual(await find(uri), ['udp 192.0.2.2:5060', 'udp 192.0.2.1:5080'])
  await clock.advance(30_000)
  assert.deepEqual(await find(uri), ['udp 192.0.2.1:5080', 'udp 192.0.2.2:5060'])
  resolver.avoid({ kind: 'udp', address: '192.0.2.1', port: 5080 }, 60_000)
  await clock.advance(59_999)
  assert.deepEqual((await find(uri))[0], 'udp 192.0.2.2:5060')
  resolver.approve({ kind: 'udp', address: '192.0.2.1', port: 5080 })
  assert.deepEqual((await find(uri))[0], 'udp 192.0.2.1:5080')
})

test('finds local names without DNS, and needs no lookup for addresses', async (t) => {
  const { find, dns } = await open(t, {})
  assert.deepEqual(await find('sip:localhost:5060'), ['udp 127.0.0.1:5060'])
  dns.asked.length = 0
  assert.deepEqual(await find('sip:192.0.2.1'), ['udp 192.0.2.1:5060'])
  assert.deepEqual(dns.asked, [])
  await assert.rejects(find('tel:+4930123'), { status: 416 })
})
