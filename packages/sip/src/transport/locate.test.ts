import assert from 'node:assert/strict'
import { test } from 'node:test'
import { locate, type NaptrRecord, byPriorityAndWeight, type SrvRecord } from './locate.ts'
import { SipError } from '../grammar/scan.ts'
import { parseUri } from '../grammar/uri.ts'

interface Zone {
  naptr?: Record<string, NaptrRecord[]>
  srv?: Record<string, SrvRecord[]>
  addresses?: Record<string, string[]>
}

/** Queries are part of the behaviour: numeric hosts and ports need no DNS. */
const find = async (text: string, zone: Zone = {}, random = () => 0) => {
  const asked: string[] = []
  const answer =
    <T>(kind: string, records: Record<string, T[]> = {}) =>
    async (name: string): Promise<T[]> => {
      asked.push(`${kind} ${name}`)
      const found = records[name]
      if (found === undefined) throw new Error('ENOTFOUND')
      return found
    }
  const resolver = { naptr: answer('naptr', zone.naptr), srv: answer('srv', zone.srv), addresses: answer('a', zone.addresses) }
  return { flows: await locate(parseUri(text), { resolver, random }), asked }
}

const srv = (priority: number, weight: number, port: number, name: string): SrvRecord => ({ priority, weight, port, name })
const naptr = (order: number, preference: number, service: string, replacement: string): NaptrRecord => ({
  order,
  preference,
  flags: 's',
  service,
  replacement,
})

test('uses a numeric host directly', async () => {
  for (const [uri, flow] of [
    ['sip:192.0.2.7', { kind: 'udp', address: '192.0.2.7', port: 5060 }],
    ['sip:a@192.0.2.7:5070;transport=tcp', { kind: 'tcp', address: '192.0.2.7', port: 5070 }],
    ['sips:192.0.2.7', { kind: 'tls', address: '192.0.2.7', port: 5061 }],
    ['sip:192.0.2.7;transport=tls', { kind: 'tls', address: '192.0.2.7', port: 5061 }],
    ['sips:192.0.2.7;transport=tcp', { kind: 'tls', address: '192.0.2.7', port: 5061 }],
    ['sip:[2001:db8::7];transport=ws', { kind: 'ws', address: '2001:db8::7', port: 80 }],
    ['sips:[2001:db8::7]:8443;transport=ws', { kind: 'wss', address: '2001:db8::7', port: 8443 }],
    ['sip:example.org;maddr=192.0.2.9', { kind: 'udp', address: '192.0.2.9', port: 5060 }],
  ] as const) {
    assert.deepEqual(await find(uri), { flows: [flow], asked: [] }, uri)
  }
})

test('looks up only the address of a host with a port', async () => {
  const zone = { addresses: { 'pbx.example.org': ['192.0.2.1', '2001:db8::1'] } }
  assert.deepEqual(await find('sip:pbx.example.org:5080', zone), {
    flows: [
      { kind: 'udp', address: '192.0.2.1', port: 5080 },
      { kind: 'udp', address: '2001:db8::1', port: 5080 },
    ],
    asked: ['a pbx.example.org'],
  })
})

test('queries the SRV records of a named transport, then the host', async () => {
  const zone = { srv: { '_sip._tcp.example.org': [srv(1, 0, 5066, 'one.example.org')] }, addresses: { 'one.example.org': ['192.0.2.1'] } }
  const { flows } = await find('sip:example.org;transport=tcp', zone)
  assert.deepEqual(flows, [{ kind: 'tcp', address: '192.0.2.1', port: 5066 }])
  const without = await find('sip:example.org;transport=tcp', { addresses: { 'example.org': ['192.0.2.2'] } })
  assert.deepEqual(without, {
    flows: [{ kind: 'tcp', address: '192.0.2.2', port: 5060 }],
    asked: ['srv _sip._tcp.example.org', 'a example.org'],
  })
})

test('picks transports in NAPTR order', async () => {
  const zone: Zone = {
    naptr: {
      'example.org': [
        naptr(20, 10, 'SIP+D2U', '_sip._udp.example.org'),
        naptr(10, 20, 'SIP+D2T', '_sip._tcp.example.org'),
        naptr(10, 10, 'SIPS+D2T', '_sips._tcp.example.org'),
        naptr(1, 1, 'E2U+email', 'mail.example.org'),
      ],
    },
    srv: {
      '_sip._udp.example.org': [srv(1, 1, 5060, 'u.example.org')],
      '_sip._tcp.example.org': [srv(1, 1, 5060, 't.example.org')],
      '_sips._tcp.example.org': [srv(1, 1, 5061, 's.example.org')],
    },
    addresses: { 'u.example.org': ['192.0.2.1'], 't.example.org': ['192.0.2.2'], 's.example.org': ['192.0.2.3'] },
  }
  const plain = await find('sip:bob@example.org', zone)
  assert.deepEqual(plain.flows, [
    { kind: 'tls', address: '192.0.2.3', port: 5061, serverName: 'example.org' },
    { kind: 'tcp', address: '192.0.2.2', port: 5060 },
    { kind: 'udp', address: '192.0.2.1', port: 5060 },
  ])
  const secure = await find('sips:bob@example.org', zone)
  assert.deepEqual(
    secure.flows.map(({ kind }) => kind),
    ['tls'],
  )
})

test('queries every transport without NAPTR, and the host without SRV', async () => {
  const zone = {
    srv: { '_sip._tcp.example.org': [srv(1, 1, 5062, 't.example.org')] },
    addresses: { 't.example.org': ['192.0.2.2'], 'example.org': ['192.0.2.9'] },
  }
  const found = await find('sip:example.org', zone)
  assert.deepEqual(found.flows, [{ kind: 'tcp', address: '192.0.2.2', port: 5062 }])
  const bare = await find('sip:example.org', { addresses: { 'example.org': ['192.0.2.9'] } })
  assert.deepEqual(bare.flows, [{ kind: 'udp', address: '192.0.2.9', port: 5060 }])
  const secure = await find('sips:example.org', { addresses: { 'example.org': ['192.0.2.9'] } })
  assert.deepEqual(secure.flows, [{ kind: 'tls', address: '192.0.2.9', port: 5061, serverName: 'example.org' }])
})

test('skips an unresolvable target', async () => {
  const zone = {
    srv: { '_sip._udp.example.org': [srv(1, 1, 5060, 'gone.example.org'), srv(2, 1, 5060, 'there.example.org')] },
    addresses: { 'there.example.org': ['192.0.2.4'] },
  }
  const { flows } = await find('sip:example.org;transport=udp', zone)
  assert.deepEqual(flows, [{ kind: 'udp', address: '192.0.2.4', port: 5060 }])
})

test('finds no flow for a domain without SIP, an unknown host or an unsupported transport', async () => {
  const zone = { srv: { '_sip._udp.example.org': [srv(0, 0, 0, '.')] }, addresses: { 'example.org': ['192.0.2.9'] } }
  assert.deepEqual((await find('sip:example.org;transport=udp', zone)).flows, [])
  assert.deepEqual((await find('sip:nowhere.example.org')).flows, [])
  assert.deepEqual((await find('sip:example.org;transport=sctp')).flows, [])
  assert.deepEqual((await find('sips:192.0.2.1;transport=udp')).flows, [])
})

test('rejects tel', async () => {
  await assert.rejects(find('tel:+492111234'), (error) => error instanceof SipError && error.status === 416)
})

test('limits the lookups of a zone with thousands of records', async () => {
  const names = Array.from({ length: 5000 }, (_, i) => srv(1, 1, 5060, `h${i}.example.org`))
  const { asked } = await find('sip:example.org;transport=udp', { srv: { '_sip._udp.example.org': names } })
  assert.ok(asked.length <= 20)
})

test('orders by priority and draws by weight', () => {
  const records = [srv(2, 1, 5060, 'spare'), srv(1, 75, 5060, 'big'), srv(1, 25, 5060, 'small'), srv(1, 0, 5060, 'none')]
  const first: Record<string, number> = {}
  let state = 7
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  for (let i = 0; i < 4000; i++) {
    const order = byPriorityAndWeight(records, random)
    assert.equal(order.length, 4)
    assert.equal(order[3]?.name, 'spare')
    const name = order[0]!.name
    first[name] = (first[name] ?? 0) + 1
  }
  assert.ok(first['big']! > 2700 && first['big']! < 3200, `big: ${first['big']}`)
  assert.ok(first['small']! > 800 && first['small']! < 1200, `small: ${first['small']}`)
  assert.ok((first['none'] ?? 0) < 120)
})
