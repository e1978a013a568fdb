import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { headerOf, SipNetwork } from '../testing/sip-network.ts'
import { DigestClient } from '../digest/digest-client.ts'
import { DigestServer } from '../digest/digest-server.ts'
import { Registration } from './registration.ts'
import type { RegistrationOptions, RegistrationState } from './registration.ts'
import type { IncomingRequest } from '../request/incoming-request.ts'

const setUp = (t: TestContext, answer: (incoming: IncomingRequest) => void, options: Partial<RegistrationOptions> = {}) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1')
  net.agent('10.0.0.2', { methods: ['REGISTER'], onRequest: answer })
  const states: RegistrationState[] = []
  const registration = new Registration({
    ua: alice.ua,
    clock: net.clock,
    random: () => 0.5,
    registrar: 'sip:10.0.0.2',
    address: 'sip:alice@10.0.0.2',
    contactUser: 'line1',
    changed: (state) => void states.push(state),
    ...options,
  })
  const registers = (): string[] => net.passed.filter(({ what }) => what === 'REGISTER').map(({ text }) => text)
  return { net, registration, states, registers, names: () => states.map(({ state }) => state) }
}

const granting =
  (seconds: number) =>
  (incoming: IncomingRequest): void =>
    incoming.respond(200, {
      headers: [
        [
          'Contact',
          `<sip:other@9.9.9.9>;expires=9000, ${incoming.request.header('contact')?.replace(/;expires=\d+$/, '')};expires=${seconds}`,
        ],
      ],
    })

test('registers with credentials and refreshes at 85 % of the granted time', async (t) => {
  const digest = new DigestServer({ realm: 'home', key: Buffer.alloc(32, 3), now: () => 0 })
  const { net, registration, states, registers, names } = setUp(
    t,
    (incoming) => {
      const claim = digest.claim(incoming.request.lines('authorization'))
      const right = claim && digest.check(claim, incoming.request, { password: 'secret' }) === 'right'
      if (right) granting(600)(incoming)
      else incoming.respond(401, { headers: digest.challenges().map((value) => ['WWW-Authenticate', value] as const) })
    },
    { digest: new DigestClient({ username: 'alice', password: 'secret' }) },
  )
  registration.register()
  await net.clock.advance(100)
  assert.deepEqual(names(), ['registering', 'registered'])
  const [state] = states.slice(-1)
  assert.ok(state?.state === 'registered' && state.until > 599_000 && state.until < 601_000)
  assert.equal(headerOf(registers()[0], 'Contact'), '<sip:line1@10.0.0.1:5060>;expires=3600')
  await net.clock.advance(509_000)
  assert.equal(registers().length, 2)
  await net.clock.advance(2_000)
  assert.equal(registers().length, 3, 'the refresh has its credentials already')
  assert.equal(new Set(registers().map((text) => headerOf(text, 'Call-ID'))).size, 1)
  assert.deepEqual(
    registers().map((text) => headerOf(text, 'CSeq')),
    ['1 REGISTER', '2 REGISTER', '3 REGISTER'],
  )
})

test("requests the registrar's interval after a 423", async (t) => {
  const { net, registration, states, registers } = setUp(
    t,
    (incoming) => {
      if (Number(incoming.request.header('expires')) < 7200) incoming.respond(423, { headers: [['Min-Expires', '7200']] })
      else
        incoming.respond(200, {
          headers: [
            ['Expires', '7200'],
            ['Service-Route', '<sip:edge.example;lr>'],
          ],
        })
    },
    { expires: 60 },
  )
  registration.register()
  await net.clock.advance(100)
  assert.deepEqual(
    registers().map((text) => headerOf(text, 'Expires')),
    ['60', '7200'],
  )
  const state = states.at(-1)
  assert.deepEqual(state?.state === 'registered' && state.serviceRoute, ['<sip:edge.example;lr>'])
})

test('fails instead of looping when the registrar keeps answering 423', async (t) => {
  const { net, registration, registers, states } = setUp(t, (incoming) =>
    incoming.respond(423, { headers: [['Min-Expires', '999999999']] }),
  )
  registration.register()
  await net.clock.advance(100)
  assert.equal(registers().length, 3)
  assert.equal(states.at(-1)?.state, 'failed')
})

test('backs off after failures up to half an hour, with jitter', async (t) => {
  const { net, registration, states, registers } = setUp(t, (incoming) => incoming.respond(403))
  registration.register()
  await net.clock.advance(3 * 3_600_000)
  const waits = states.flatMap((state) => (state.state === 'failed' ? [state.retryAt] : []))
  const sent = net.passed.filter(({ what }) => what === 'REGISTER').map(({ at }) => at)
  const gaps = sent.slice(1).map((at, index) => Math.round((at - sent[index]!) / 100) / 10)
  assert.deepEqual(gaps.slice(0, 8), [22.5, 45, 90, 180, 360, 720, 1_350, 1_350])
  assert.ok(waits.length >= registers().length - 1)
})

test('respects Retry-After', async (t) => {
  const { net, registration, registers } = setUp(t, (incoming) => incoming.respond(503, { headers: [['Retry-After', '300 (closed)']] }))
  registration.register()
  await net.clock.advance(299_000)
  assert.equal(registers().length, 1)
  await net.clock.advance(2_000)
  assert.equal(registers().length, 2)
})

test('reports 408 without a response and registers again when the registrar is back', async (t) => {
  const { net, registration, states, names } = setUp(t, granting(600))
  net.drops = ({ what }) => what === 'REGISTER'
  registration.register()
  await net.clock.advance(33_000)
  const failed = states.at(-1)
  assert.equal(failed?.state === 'failed' && failed.status, 408)
  net.drops = () => false
  await net.clock.advance(60_000)
  assert.deepEqual(names(), ['registering', 'failed', 'registering', 'registered'])
})

test('close removes the registration and leaves no timer', async (t) => {
  const { net, registration, names, registers } = setUp(t, granting(600))
  registration.register()
  await net.clock.advance(100)
  const closed = registration.close()
  await net.clock.advance(100)
  await closed
  assert.equal(headerOf(registers().at(-1), 'Contact'), '<sip:line1@10.0.0.1:5060>;expires=0')
  assert.equal(names().at(-1), 'closed')
  registration.register()
  await net.clock.advance(70_000)
  assert.equal(registers().length, 2)
  assert.equal(net.clock.pending(), 0)
})

test('closes during the first attempt, and without any success', async (t) => {
  const first = setUp(t, granting(600))
  first.registration.register()
  const closed = first.registration.close()
  await first.net.clock.advance(100)
  await closed
  assert.deepEqual(
    first.registers().map((text) => headerOf(text, 'Expires')),
    ['3600', '0'],
  )

  const refused = setUp(t, (incoming) => incoming.respond(403))
  refused.registration.register()
  await refused.net.clock.advance(100)
  await refused.registration.close()
  assert.equal(refused.registers().length, 1)
  assert.equal(refused.registration.state.state, 'closed')
})
