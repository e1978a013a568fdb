import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'

import { readFile } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { connect } from '@nats-io/transport-node'
import { realClock } from '#adapters/clock/clocks.ts'
import { NoAnswer, type Bus } from '#core/kernel/ports/platform.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { busConformance } from '#test/conformance/bus.ts'
import { certificateFor, makeCertificate } from '#test/machine/certificate.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { startNats } from '#test/peers/nats-server.ts'
import { readBusServers } from './bus-servers.ts'
import { natsBus, type NatsBusDeps } from './nats-bus.ts'
import { Seal, SeenNonces } from './seal.ts'

const keyOf = (installation: string): Buffer => createHash('sha256').update(installation).digest()

interface OpenedBus {
  bus: Bus
  ignored: string[]
  changes: (string | true)[]
}

const open = (t: TestContext, url: string, changed: Partial<NatsBusDeps> = {}): OpenedBus => {
  const ignored: string[] = []
  const changes: (string | true)[] = []
  const bus = natsBus({
    servers: readBusServers(url),
    certificates: () => ({}),
    name: 'test',
    prefix: 'offhook.one',
    seal: new Seal(keyOf('one'), realClock()),
    clock: realClock(),
    onConnected: (connected, error) => changes.push(connected || String(error?.message)),
    onIgnored: (why) => ignored.push(why),
    onError: () => {},
    ...changed,
  })
  t.after(() => bus.close())
  return { bus, ignored, changes }
}

const connected = (bus: Bus, wanted = true): Promise<true> =>
  until('connection', () => (bus.connected === wanted ? (true as const) : undefined))

busConformance({
  name: 'nats',
  open: async (t) => {
    if (!(await needs(t, 'nats-server'))) return undefined
    const { url } = await startNats(t)
    const [here, there] = [open(t, url).bus, open(t, url).bus]
    await connected(here)
    await connected(there)
    return { here, there }
  },
})

test('starts before the server, reconnects after an outage, and fails requests immediately in between', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const server = await startNats(t)
  await server.stop()
  const { bus, changes } = open(t, `nats://127.0.0.1:1,${server.url}`)
  bus.answer('call.1', () => 'here')
  await until('refusal', () => changes.length > 0 || undefined)
  assert.equal(bus.connected, false)
  await assert.rejects(bus.ask('call.1', {}, { ms: 60_000 }), NoAnswer)
  assert.deepEqual(await bus.askAll('call.1', {}, { ms: 60_000, expected: 2 }), [])
  bus.notify('call.1', {})
  for (const times of [1, 2]) {
    await server.startAgain()
    await connected(bus)
    assert.equal(await bus.ask('call.1', {}), 'here', `after ${times}`)
    await server.stop()
    await connected(bus, false)
  }
  assert.deepEqual(
    changes.map((one) => one === true),
    [false, true, false, true, false],
  )
})

test('fails pending requests when the server goes away', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const server = await startNats(t)
  const { bus } = open(t, server.url)
  await connected(bus)
  const arrived = Promise.withResolvers<void>()
  const never = Promise.withResolvers<void>()
  bus.answer('never', () => {
    arrived.resolve()
    return never.promise
  })
  const refused = assert.rejects(bus.ask('never', {}, { ms: 3_600_000 }), NoAnswer)
  await arrived.promise
  await server.stop()
  await refused
  never.resolve()
})

test('detects a server that hangs', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const server = await startNats(t)
  const { bus } = open(t, server.url)
  await connected(bus)
  process.kill(server.pid, 'SIGSTOP')
  await connected(bus, false)
  process.kill(server.pid, 'SIGCONT')
  await connected(bus)
})

test('ignores and counts unsealed, old and foreign messages', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const { url, port } = await startNats(t)
  const clock = new VirtualClock()
  const [one, other] = [open(t, url, { seal: new Seal(keyOf('one'), clock) }), open(t, url, { seal: new Seal(keyOf('two'), clock) })]
  const elsewhere = open(t, url, { seal: new Seal(keyOf('two'), clock), prefix: 'offhook.two' })
  for (const { bus } of [one, other, elsewhere]) await connected(bus)
  const heard: unknown[] = []
  let done = 0
  one.bus.hear('alive', (body) => heard.push(body))
  one.bus.answer('call.1', () => ++done)
  const outsider = await connect({ servers: `127.0.0.1:${port}` })
  t.after(() => outsider.close())
  const taps: { subject: string; data: Uint8Array }[] = []
  outsider.subscribe('offhook.one.>', { callback: (_, { subject, data }) => void taps.push({ subject, data }) })
  await outsider.flush()

  await until('subscription', () => one.bus.ask('call.1', 'hang up').catch(() => undefined) as Promise<number | undefined>)
  const command = await until('tapped', () => taps.find(({ subject }) => subject === 'offhook.one.ask.call.1'))
  assert.ok(!Buffer.from(command.data).includes('hang up'))
  const doneBefore = done

  outsider.publish('offhook.one.tell.alive', 'forged')
  outsider.publish('offhook.one.tell.alive', command.data) // sealed for another subject
  other.bus.notify('alive', { owner: 'other key' })
  await until('ignored', () => one.ignored.length >= 3 || undefined)
  assert.deepEqual(one.ignored, ['wrong seal', 'wrong seal', 'wrong seal'])
  await assert.rejects(other.bus.ask('call.1', {}, { ms: 50 }), NoAnswer)
  elsewhere.bus.notify('alive', { owner: 'elsewhere' })

  await clock.advance(2 * 60_000)
  outsider.publish(command.subject, command.data)
  await until('old', () => one.ignored.includes('too old') || undefined)
  assert.equal(done, doneBefore)
  one.bus.notify('alive', { owner: 'me' })
  await until('heard', () => heard.length > 0 || undefined)
  assert.deepEqual(heard, [{ owner: 'me' }])
  assert.equal(one.ignored.length, 5)
})

test('ignores a replayed message while its seal is valid', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const { url, port } = await startNats(t)
  const clock = new VirtualClock()
  const { bus, ignored } = open(t, url, { seal: new Seal(keyOf('one'), clock), clock })
  await connected(bus)
  const heard: unknown[] = []
  let done = 0
  bus.hear('alive', (body) => heard.push(body))
  bus.hear('*', (body) => heard.push(body))
  bus.answer('call.1', () => ++done)
  const outsider = await connect({ servers: `127.0.0.1:${port}` })
  t.after(() => outsider.close())
  const taps: { subject: string; data: Uint8Array; reply: string | undefined }[] = []
  outsider.subscribe('offhook.one.>', { callback: (_, { subject, data, reply }) => void taps.push({ subject, data, reply }) })
  await outsider.flush()
  const tapped = (subject: string) => until('tapped', () => taps.find((tap) => tap.subject === `offhook.one.${subject}`))

  await until('subscription', () => bus.ask('call.1', 'hang up').catch(() => undefined) as Promise<number | undefined>)
  bus.notify('alive', { owner: 'me' })
  await until('heard', () => heard.length === 2 || undefined)
  const [command, beat] = [await tapped('ask.call.1'), await tapped('tell.alive')]
  const doneBefore = done
  await clock.advance(59_000)
  for (const { subject, data } of [command, beat]) outsider.publish(subject, data)
  await until('ignored', () => ignored.length >= 3 || undefined)
  assert.deepEqual(ignored, ['replayed', 'replayed', 'replayed'])
  assert.deepEqual([done, heard.length], [doneBefore, 2])

  // One process answers; its answer is replayed in place of another process's.
  const replies: Uint8Array[] = []
  outsider.subscribe('offhook.one.inbox.>', {
    callback: (_, { subject, data }) => {
      if (replies.push(data) === 1) outsider.publish(subject, data)
    },
  })
  await outsider.flush()
  assert.deepEqual(await bus.askAll('call.1', {}, { ms: 60_000, expected: 2 }), [doneBefore + 1])
})

test('remembers messages for the lifetime of their seal, up to a limit', async () => {
  const clock = new VirtualClock()
  const seen = new SeenNonces(clock, 180_000, 100)
  assert.deepEqual([seen.isNew('a'), seen.isNew('a'), seen.isNew('b')], [true, false, true])
  await clock.advance(180_001)
  assert.ok(seen.isNew('c'))
  assert.equal(seen.size, 1)
  for (let count = 0; count < 1_000; count++) seen.isNew(`n${count}`)
  assert.equal(seen.size, 100)
  assert.equal(seen.isNew('n999'), false)
})

test('reports a message that is too large for the server as an error', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const { url } = await startNats(t, 'max_payload: 10000\n')
  const errors: unknown[] = []
  const { bus } = open(t, url, { onError: (error) => errors.push(error) })
  await connected(bus)
  const large = 'x'.repeat(20_000)
  bus.answer('large', () => large)
  await assert.rejects(bus.ask('large', {}, { ms: 60_000 }), NoAnswer)
  await assert.rejects(bus.ask('large', large, { ms: 60_000 }), NoAnswer)
  bus.notify('large', large)
  assert.equal(errors.length, 2)
  assert.ok(bus.connected)
})

test('TLS with certificates of both sides, and a login', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const { cert, key, certFile, keyFile } = await makeCertificate(t)
  const tls = `tls { cert_file: "${certFile}", key_file: "${keyFile}", ca_file: "${certFile}", verify: true }\n`
  const server = await startNats(t, `${tls}authorization { user: us, password: "p@ss,word" }\n`)
  const url = `tls://us:p%40ss%2Cword@localhost:${server.port}`
  const known = { cert, key, ca: cert }
  const good = open(t, url, { certificates: () => known })
  await connected(good.bus)
  good.bus.answer('call.1', () => 'sealed twice')
  assert.equal(await good.bus.ask('call.1', {}), 'sealed twice')
  const bad = [
    open(t, url, { certificates: () => ({ ca: cert }) }),
    open(t, url, { certificates: () => ({ cert, key }) }),
    open(t, `tls://us:wrong@localhost:${server.port}`, { certificates: () => known }),
    open(t, `nats://us:p%40ss%2Cword@localhost:${server.port}`, { certificates: () => known }),
  ]
  for (const { bus, changes } of bad) {
    await until('refusal', () => changes.length > 0 || undefined)
    assert.equal(bus.connected, false)
  }
})

test('verifies the certificate of a server at an IP address against that address', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const serve = async (name: string): Promise<OpenedBus> => {
    const { cert, certFile, keyFile } = await certificateFor(t, [name])
    const { port } = await startNats(t, `tls { cert_file: "${certFile}", key_file: "${keyFile}" }\n`)
    return open(t, `tls://127.0.0.1:${port},tls://127.0.0.1:1`, { certificates: () => ({ ca: cert }) })
  }
  await connected((await serve('IP:127.0.0.1')).bus)
  const { bus, changes } = await serve('DNS:localhost')
  await until('refusal', () => changes.length > 0 || undefined)
  assert.equal(bus.connected, false)
})

test('does not talk to a server without TLS when TLS is required', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const server = await startNats(t)
  const { bus, changes } = open(t, `tls://localhost:${server.port}`)
  await until('refusal', () => changes.length > 0 || undefined)
  assert.equal(bus.connected, false)
})

test('the shipped configuration restricts an installation to its own subjects', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const { cert, key, certFile, keyFile } = await makeCertificate(t)
  const shipped = await readFile(new URL('../../../../../deploy/nats/accounts.conf', import.meta.url), 'utf8')
  const configuration = shipped
    .replace(/^listen.*$/m, '')
    .replace('/etc/nats/server.pem', certFile)
    .replace('/etc/nats/server.key', keyFile)
    .replace('/etc/nats/ca.pem', certFile)
    .replace(/password: ".*"/, 'password: "long"')
  const server = await startNats(t, configuration)
  const certificates = () => ({ cert, key, ca: cert })
  const url = `tls://office:long@localhost:${server.port}`
  const errors: unknown[] = []
  const ours = open(t, url, { certificates, prefix: 'offhook.0123456789ab' })
  const foreign = open(t, url, { certificates, prefix: 'offhook.ba9876543210', onError: (error) => errors.push(error) })
  for (const { bus } of [ours, foreign]) {
    await connected(bus)
    bus.answer('call.1', () => 'here')
  }
  assert.equal(await ours.bus.ask('call.1', {}), 'here')
  await assert.rejects(foreign.bus.ask('call.1', {}, { ms: 50 }), NoAnswer)
  await until('refusal', () => errors.length > 0 || undefined)
})
