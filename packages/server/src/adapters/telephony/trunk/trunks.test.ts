// test: real time
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openTestStore } from '#test/store/databases.ts'
import { startDnsServer, type DnsServer, type Zone } from '#test/machine/dns-server.ts'
import { openSipNode, type SipNode, type SipNodeOptions } from '#test/phones/sip-node.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { TrunkSettings } from '#core/kernel/ports/store/operate.ts'
import { trunkSettings } from '#core/account/trunks/trunk-settings.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'
import { DigestServer } from '@offhook/sip/digest/digest-server.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { parseUri } from '@offhook/sip/grammar/uri.ts'
import type { IncomingRequest } from '@offhook/sip/request/incoming-request.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { Resolver } from '../transport/resolver.ts'
import { Trunks } from './trunks.ts'

type NodeOptions = Pick<SipNodeOptions, 'onRequest' | 'onClosed' | 'onUnreachable'>

/** Real except for time. */
const openNode = (clock: VirtualClock, options: NodeOptions): Promise<SipNode> =>
  openSipNode({ clock, onInvite: ({ session }) => session.reject(603), methods: ['REGISTER'], product: '', ...options })

/** A carrier: challenges, keeps registrations, and answers OPTIONS or not. */
class Carrier {
  readonly seen: Request[] = []
  readonly digest: DigestServer
  lastFrom: Flow | undefined
  silent = false
  optionsStatus = 404
  registerHeaders: HeaderLines = []
  expires = 600

  constructor(clock: VirtualClock, realm: string) {
    this.digest = new DigestServer({ realm, key: randomBytes(32), now: () => clock.now() })
  }

  receive(incoming: IncomingRequest): void {
    const { request } = incoming
    this.seen.push(request)
    this.lastFrom = incoming.from
    if (this.silent) return
    if (request.method === 'OPTIONS') return incoming.respond(this.optionsStatus)
    const claim = this.digest.claim(request.lines('authorization'))
    const right = claim && this.digest.check(claim, request, { password: 'carrier secret' }) === 'right'
    if (!right) return incoming.respond(401, { headers: this.digest.challenges().map((value) => ['WWW-Authenticate', value]) })
    const contact = request.header('contact')?.replace(/;expires=\d+/, '') ?? ''
    const left = request.header('expires') === '0' ? [] : ([['Contact', `${contact};expires=${this.expires}`]] as const)
    return incoming.respond(200, { headers: [...left, ...this.registerHeaders] })
  }

  count(method: string): number {
    return this.seen.filter((request) => request.method === method).length
  }
}

interface Setting {
  clock: VirtualClock
  store: Store
  dns: DnsServer
  trunks: Trunks
  carrier: Carrier
  errors: unknown[]
  states: string[]
  /** Addresses to which no connection could be opened. */
  unreachable: Flow[]
  closeCarrier: () => Promise<void>
  breakConnection: () => void
  put: (id: string, input?: Partial<TrunkSettings>, more?: { active?: boolean; password?: string; sealed?: string }) => Promise<void>
}

const open = async (
  t: TestContext,
  { host = '127.0.0.1', realm = '127.0.0.1', zone = {} }: { host?: string; realm?: string; zone?: Zone } = {},
) => {
  const clock = new VirtualClock()
  const closers: (() => unknown)[] = []
  t.after(async () => {
    for (const close of closers.toReversed()) await close()
    assert.equal(clock.pending(), 0, 'timers are left')
  })
  const carrier = new Carrier(clock, realm)
  const unreachable: Flow[] = []
  const far = await openNode(clock, { onRequest: (incoming) => carrier.receive(incoming) })
  const near = await openNode(clock, {
    onRequest: (incoming) => incoming.respond(200),
    onClosed: (_connection, flow) => trunks.connectionClosed(flow),
    onUnreachable: (to) => unreachable.push(to),
  })
  const store = await openTestStore(t, 'sqlite')
  const vault = await openVault({ key: randomBytes(32).toString('base64'), file: '' })
  const dns = await startDnsServer(t, zone)
  const resolver = new Resolver({ clock, families: [4], servers: [dns.address] })
  const errors: unknown[] = []
  const states: string[] = []
  const trunks = new Trunks({
    clock,
    store,
    vault,
    ua: near.ua,
    resolver,
    random: () => 0,
    onStateChanged: ({ id }, { registered, usable, problem }) =>
      states.push([id, registered ? 'registered' : '-', usable ? 'usable' : '-', ...(problem === undefined ? [] : [problem])].join(' ')),
    onError: (error) => errors.push(error),
  })
  closers.push(
    far.close,
    near.close,
    () => trunks.close(),
    () => resolver.close(),
  )
  const setting: Setting = {
    clock,
    store,
    dns,
    trunks,
    carrier,
    errors,
    states,
    unreachable,
    closeCarrier: () => far.close(),
    breakConnection: () => far.transports.send(Buffer.from('this is not SIP\r\n\r\n'), carrier.lastFrom!, assert.ifError),
    put: (id, input = {}, { active = true, password, sealed } = {}) =>
      store.write(async (tables) => {
        await tables.trunks.remove(id)
        const settings = trunkSettings({ host, port: far.port, ...input }, { hasPassword: input.username !== undefined })
        const passwordSealed = sealed ?? (password === undefined ? undefined : vault.seal(password))
        await tables.trunks.insert({ id, name: id, settings, passwordSealed, active, createdAt: 1, updatedAt: clock.now() })
      }),
  }
  return setting
}

/** Real sockets take a moment. */
const until = async (what: () => boolean): Promise<void> => {
  const end = performance.now() + 60_000
  while (!what()) {
    assert.ok(performance.now() < end, `this never happened: ${String(what)}`)
    await setImmediate()
  }
}

const login = { username: '4930123', register: true } as const
const password = 'carrier secret'

test('a trunk registers with its password, stays registered, and deregisters when removed', async (t) => {
  const { trunks, carrier, clock, put, store, states } = await open(t)
  await put('t', login, { password })
  carrier.registerHeaders = [['Service-Route', '<sip:edge.carrier.example;lr>']]
  await trunks.start()
  assert.equal(trunks.health('t').usable, false, 'not before it is registered')
  await until(() => trunks.health('t').usable)
  assert.deepEqual(trunks.of('t'), { registered: true, usable: true, calls: 0, since: clock.now() })
  assert.deepEqual(trunks.get('t')?.routes, ['<sip:edge.carrier.example;lr>'])
  const register = carrier.seen.findLast(({ method }) => method === 'REGISTER')
  assert.equal(parseUri(register?.to.uri ?? '').user, '4930123')
  assert.equal(register?.header('expires'), '600')
  const before = carrier.count('REGISTER')
  await clock.advance(600_000)
  await until(() => carrier.count('REGISTER') > before)
  assert.equal(trunks.of('t')?.registered, true)
  await store.write((tables) => tables.trunks.remove('t'))
  trunks.changed()
  await until(() => carrier.seen.at(-1)?.header('expires') === '0')
  assert.equal(trunks.of('t'), undefined)
  assert.deepEqual(trunks.health('t'), { usable: false, calls: 0 })
  assert.deepEqual(states.slice(0, 1), ['t registered usable'])
})

test('does not send the password to another realm', async (t) => {
  const { trunks, carrier, put, states } = await open(t, { realm: 'somebody-else.example' })
  await put('t', login, { password })
  await trunks.start()
  await until(() => carrier.count('REGISTER') > 0)
  for (let turn = 0; turn < 50; turn++) await setImmediate()
  assert.ok(carrier.seen.every((request) => request.header('authorization') === undefined))
  assert.equal(trunks.health('t').usable, false)
  await until(() => trunks.of('t')?.problem === '401 Unauthorized')
  assert.equal(states.at(-1), 't - - 401 Unauthorized', 'and whoever reads the log knows why')
  await put('t', { ...login, realm: 'somebody-else.example' }, { password })
  trunks.changed()
  await until(() => trunks.health('t').usable)
  assert.equal(trunks.of('t')?.problem, undefined)
})

test('any answer to OPTIONS counts as up; two timeouts count as down, and one answer as up again', async (t) => {
  const { trunks, carrier, clock, put, states } = await open(t)
  await put('t')
  await trunks.start()
  await until(() => carrier.count('OPTIONS') === 1)
  assert.equal(trunks.health('t').usable, true)
  carrier.silent = true
  await clock.advance(30_000)
  await until(() => carrier.count('OPTIONS') > 1)
  await clock.advance(10_000)
  assert.equal(trunks.health('t').usable, true, 'once is nothing')
  await clock.advance(30_000)
  assert.equal(trunks.health('t').usable, true)
  await clock.advance(10_000)
  assert.equal(trunks.health('t').usable, false)
  carrier.silent = false
  carrier.optionsStatus = 480
  await clock.advance(60_000)
  assert.equal(trunks.health('t').usable, false)
  carrier.optionsStatus = 405
  await clock.advance(30_000)
  await until(() => trunks.health('t').usable)
  assert.deepEqual(states, ['t - -', 't - usable'])
})

test('a failed renewal does not make a trunk unusable before its expiry', async (t) => {
  const { trunks, carrier, clock, put } = await open(t)
  carrier.expires = 100
  await put('t', login, { password })
  await trunks.start()
  await until(() => trunks.health('t').usable)
  carrier.silent = true
  await clock.advance(99_999)
  assert.equal(trunks.of('t')?.registered, true)
  await clock.advance(1)
  assert.equal(trunks.of('t')?.registered, false)
  assert.equal(trunks.health('t').usable, false)
})

test('applies changes of another node within half a minute', async (t) => {
  const { trunks, clock, put, carrier } = await open(t)
  await trunks.start()
  assert.equal(trunks.holds('127.0.0.1'), false)
  await put('t', { sourceAddresses: ['192.0.2.0/24'] })
  await clock.advance(30_000)
  await until(() => trunks.of('t') !== undefined)
  assert.equal(trunks.find({ kind: 'udp', address: '192.0.2.77', port: 1 })?.id, 't')
  await until(() => carrier.count('OPTIONS') === 1)
  await put('t', {}, { active: false })
  await clock.advance(30_000)
  await until(() => trunks.of('t') === undefined)
  assert.equal(trunks.holds('192.0.2.77'), false)
})

test("resolves a trunk's name by DNS, and follows changes", async (t) => {
  const zone: Zone = { 'sip.carrier.example': [{ type: 'A', address: '127.0.0.1', ttl: 10 }] }
  const { trunks, carrier, put, dns, clock } = await open(t, { host: 'sip.carrier.example', zone })
  await put('t')
  await trunks.start()
  await until(() => trunks.holds('127.0.0.1'))
  assert.equal(trunks.get('t')?.address, '127.0.0.1')
  await until(() => carrier.count('OPTIONS') === 1)
  dns.zone['sip.carrier.example'] = [{ type: 'A', address: '127.0.0.9' }]
  await clock.advance(30_000)
  await until(() => trunks.holds('127.0.0.9'))
  assert.equal(trunks.holds('127.0.0.1'), false)
  dns.failing = true
  await clock.advance(300_000)
  assert.equal(trunks.holds('127.0.0.9'), true, 'while DNS is away it stays there')
})

test("registers again immediately when the carrier's connection closes", async (t) => {
  const { trunks, carrier, put, breakConnection } = await open(t)
  await put('t', { ...login, transport: 'TCP' }, { password })
  await trunks.start()
  await until(() => trunks.health('t').usable)
  const before = carrier.count('REGISTER')
  breakConnection()
  await until(() => carrier.count('REGISTER') > before)
  assert.equal(trunks.health('t').usable, true)
})

test('retries a carrier that rejects and disconnects on schedule, not immediately', async (t) => {
  const { trunks, carrier, put, clock, breakConnection } = await open(t)
  await put('t', { ...login, transport: 'TCP' }, { password: 'a wrong one' })
  await trunks.start()
  await until(() => carrier.count('REGISTER') === 2 && carrier.count('OPTIONS') === 1)
  breakConnection()
  for (let turn = 0; turn < 200; turn++) await setImmediate()
  assert.equal(carrier.count('REGISTER'), 2)
  await clock.advance(15_000)
  await until(() => carrier.count('REGISTER') === 4)
})

test('does not flood an unavailable carrier', async (t) => {
  const { trunks, put, clock, unreachable, closeCarrier } = await open(t)
  await put('t', { ...login, transport: 'TCP' }, { password })
  await trunks.start()
  await until(() => trunks.health('t').usable)
  await closeCarrier()
  await until(() => unreachable.length > 0)
  for (let turn = 0; turn < 200; turn++) await setImmediate()
  assert.equal(unreachable.length, 1)
  await clock.advance(60_000)
  assert.ok(unreachable.length < 8, `${unreachable.length}`)
})

test('reports a trunk that cannot be opened and continues with the others', async (t) => {
  const { trunks, put, errors } = await open(t)
  await put('broken', login, { sealed: 'v1:nonsense' })
  await put('fine')
  await trunks.start()
  assert.equal(errors.length, 1)
  assert.equal(trunks.of('broken'), undefined)
  assert.notEqual(trunks.of('fine'), undefined)
})

test('closing does not wait for an unavailable carrier', async (t) => {
  const { trunks, put, carrier } = await open(t)
  carrier.silent = true
  await put('t', login, { password })
  await trunks.start()
  // The SIP stack's clock stands still: waiting for an answer, or for its timeout, would never end.
  await trunks.close()
})
