import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Input } from '#test/session/scripted-endpoint.ts'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import { StoreFull } from '#core/kernel/ports/store/index.ts'

const reasons = async (fixture: SessionFixture): Promise<unknown[]> =>
  (await fixture.ends()).map(({ body }) => (body.type === 'session_end' ? body.reason : body.type))

const never = (): Promise<Input[]> => new Promise(() => {})

/** Makes the n-th request from now fail. */
const failIn = ({ exchange: { outside } }: SessionFixture, n: number, loseAnswer = false): void =>
  void Object.assign(outside, { failAt: outside.count + n, loseAnswer })

test('plays the fallback and ends with service_failure when the caller can no longer be heard', async (t) => {
  const { fixture, caller } = await openSession(t, { settings: { language: 'en-GB' } })
  fixture.conversation.loses(new Error('the detector is gone'))
  await fixture.seconds(6)
  assert.match(fixture.conversation.log[0] ?? '', /^say We are sorry/)
  assert.ok(caller.over)
  assert.deepEqual(await reasons(fixture), ['service_failure'])
  assert.equal(fixture.exchange.failures.length, 1)
})

test('does not start a session that cannot be stored', async (t) => {
  const { fixture, customer } = await openSession(t)
  const { leases } = fixture.deps
  const hold = leases.hold.bind(leases)
  leases.hold = (name, work) => (name.startsWith('session') ? Promise.reject(new Error('away')) : hold(name, work))
  const caller = await fixture.exchange.callIn(customer.number)
  await fixture.seconds(1)
  assert.ok(caller.over)
  assert.deepEqual(fixture.channel.types, [])
  assert.equal(fixture.exchange.lastEnd?.reason, 'service_failure')
  assert.deepEqual(await reasons(fixture), [])
})

test('runs a session on a full disk and sends session_end when there is room', async (t) => {
  const { fixture, customer, caller: first } = await openSession(t)
  first.hangsUp()
  await fixture.rest()
  await fixture.ends()
  const { watched } = fixture.exchange
  const write = watched.write.bind(watched)
  let full = true
  watched.write = (work) => (full ? Promise.reject(new StoreFull(new Error('ENOSPC'))) : write(work))
  const caller = await fixture.exchange.callIn(customer.number)
  await fixture.seconds(1)
  assert.ok(!caller.over)
  assert.deepEqual(fixture.channel.types, ['session_start'])
  caller.hangsUp()
  await fixture.seconds(300)
  assert.deepEqual(await reasons(fixture), [])
  full = false
  await fixture.seconds(60)
  assert.deepEqual(await reasons(fixture), ['caller_hangup'])
})

test('retries to write the session end while the database is unavailable, and writes it once', async (t) => {
  const { fixture, customer, caller } = await openSession(t)
  fixture.exchange.outside.misfortune = () => true
  caller.hangsUp()
  await fixture.seconds(300)
  assert.deepEqual(await reasons(fixture), [])
  fixture.exchange.outside.misfortune = () => false
  await fixture.seconds(60)
  assert.deepEqual(await reasons(fixture), ['caller_hangup'])
  for (const n of [1, 2, 3, 4, 5, 6]) {
    fixture.exchange.outside.failAt = undefined
    const again = await fixture.exchange.callIn(customer.number)
    failIn(fixture, n, true)
    again.hangsUp()
    await fixture.seconds(60)
    assert.deepEqual(await reasons(fixture), ['caller_hangup'], `${n}: ${fixture.exchange.outside.asked[n - 1]}`)
  }
})

test('delays session_end for earlier events up to a limit, and not at all on shutdown', async (t) => {
  const reply = ({ body }: OutgoingEvent): Input[] | Promise<Input[]> => (body.type === 'dtmf_received' ? never() : [])
  const settings = { extendedEvents: ['dtmf_received'] } as const
  const { fixture, caller } = await openSession(t, { reply, settings })
  caller.presses('12')
  await fixture.rest()
  assert.deepEqual(fixture.channel.types, ['session_start', 'dtmf_received'])
  caller.hangsUp()
  await fixture.seconds(0.3)
  assert.deepEqual(fixture.channel.types, ['session_start', 'dtmf_received', 'dtmf_received'], 'nobody waits for answers any more')
  const [end] = await fixture.ends()
  assert.equal(end?.sequence, 4)

  const stuck = await openSession(t, { settings })
  stuck.fixture.channel.send = () => new Promise(() => {})
  stuck.caller.presses('1')
  stuck.caller.hangsUp()
  await stuck.fixture.seconds(4.9)
  assert.deepEqual(await reasons(stuck.fixture), [])
  await stuck.fixture.seconds(0.2)
  assert.deepEqual(await reasons(stuck.fixture), ['caller_hangup'])

  const stopped = await openSession(t, { settings })
  stopped.fixture.channel.send = () => new Promise(() => {})
  stopped.caller.presses('1')
  stopped.fixture.hurry()
  await stopped.fixture.exchange.callRouter.hangUpAll()
  assert.deepEqual(await reasons(stopped.fixture), ['service_shutdown'])
})

test('reports service_failure and releases everything when opening fails', async (t) => {
  const { fixture, customer } = await openSession(t)
  for (const what of ['conversation.open', 'endpoint.open']) {
    const { outside } = fixture.exchange
    outside.misfortune = () => outside.asked.at(-1) === what
    const caller = await fixture.exchange.callIn(customer.number)
    await fixture.rest()
    outside.misfortune = () => false
    assert.ok(caller.over)
    assert.equal(fixture.exchange.lastEnd?.reason, 'service_failure')
  }
})
