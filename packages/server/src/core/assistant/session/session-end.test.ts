import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Wish } from '#test/session/scripted-endpoint.ts'
import { openSession, type Studio } from '#test/session/scripted-session.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import { StoreFull } from '#core/kernel/ports/store/index.ts'

const reasons = async (studio: Studio): Promise<unknown[]> =>
  (await studio.ends()).map(({ body }) => (body.type === 'session_end' ? body.reason : body.type))

const never = (): Promise<Wish[]> => new Promise(() => {})

/** The n-th request from now on fails. */
const failIn = ({ exchange: { outside } }: Studio, n: number, loseAnswer = false): void =>
  void Object.assign(outside, { failAt: outside.count + n, loseAnswer })

test('who cannot be heard any more is told goodbye by nobody: it is our fault, and the customer learns it', async (t) => {
  const { studio, caller } = await openSession(t)
  studio.conversation.loses(new Error('the detector is gone'))
  await studio.rest()
  assert.ok(caller.over)
  assert.deepEqual(await reasons(studio), ['service_failure'])
  assert.equal(studio.exchange.failures.length, 1)
})

test('a session that cannot be written down does not begin', async (t) => {
  const { studio, customer } = await openSession(t)
  const { leases } = studio.parts
  const hold = leases.hold.bind(leases)
  leases.hold = (name, work) => (name.startsWith('session') ? Promise.reject(new Error('away')) : hold(name, work))
  const caller = await studio.exchange.callIn(customer.number)
  await studio.seconds(1)
  assert.ok(caller.over)
  assert.deepEqual(studio.channel.types, [])
  assert.equal(studio.exchange.lastEnd?.reason, 'service_failure')
  assert.deepEqual(await reasons(studio), [])
})

test('on a full disk a session begins and is told all the same; its end is told when there is room', async (t) => {
  const { studio, customer, caller: first } = await openSession(t)
  first.hangsUp()
  await studio.rest()
  await studio.ends()
  const { watched } = studio.exchange
  const write = watched.write.bind(watched)
  let full = true
  watched.write = (work) => (full ? Promise.reject(new StoreFull(new Error('ENOSPC'))) : write(work))
  const caller = await studio.exchange.callIn(customer.number)
  await studio.seconds(1)
  assert.ok(!caller.over)
  assert.deepEqual(studio.channel.types, ['session_start'])
  caller.hangsUp()
  await studio.seconds(300)
  assert.deepEqual(await reasons(studio), [])
  full = false
  await studio.seconds(60)
  assert.deepEqual(await reasons(studio), ['caller_hangup'])
})

test('a database that is away when a session ends hears of it later; one whose answer got lost, not twice', async (t) => {
  const { studio, customer, caller } = await openSession(t)
  studio.exchange.outside.misfortune = () => true
  caller.hangsUp()
  await studio.seconds(300)
  assert.deepEqual(await reasons(studio), [])
  studio.exchange.outside.misfortune = () => false
  await studio.seconds(60)
  assert.deepEqual(await reasons(studio), ['caller_hangup'])
  for (const n of [1, 2, 3, 4, 5, 6]) {
    studio.exchange.outside.failAt = undefined
    const again = await studio.exchange.callIn(customer.number)
    failIn(studio, n, true)
    again.hangsUp()
    await studio.seconds(60)
    assert.deepEqual(await reasons(studio), ['caller_hangup'], `${n}: ${studio.exchange.outside.asked[n - 1]}`)
  }
})

test('the end waits for what happened before it, but not for ever, and not at all when the service stops', async (t) => {
  const reply = ({ body }: OutgoingEvent): Wish[] | Promise<Wish[]> => (body.type === 'dtmf_received' ? never() : [])
  const settings = { extendedEvents: ['dtmf_received'] } as const
  const { studio, caller } = await openSession(t, { reply, settings })
  caller.presses('12')
  await studio.rest()
  assert.deepEqual(studio.channel.types, ['session_start', 'dtmf_received'])
  caller.hangsUp()
  await studio.seconds(0.3)
  assert.deepEqual(studio.channel.types, ['session_start', 'dtmf_received', 'dtmf_received'], 'nobody waits for answers any more')
  const [end] = await studio.ends()
  assert.equal(end?.sequence, 4)

  const stuck = await openSession(t, { settings })
  stuck.studio.channel.send = () => new Promise(() => {})
  stuck.caller.presses('1')
  stuck.caller.hangsUp()
  await stuck.studio.seconds(4.9)
  assert.deepEqual(await reasons(stuck.studio), [])
  await stuck.studio.seconds(0.2)
  assert.deepEqual(await reasons(stuck.studio), ['caller_hangup'])

  const stopped = await openSession(t, { settings })
  stopped.studio.channel.send = () => new Promise(() => {})
  stopped.caller.presses('1')
  stopped.studio.hurry()
  await stopped.studio.exchange.switchboard.hangUpAll()
  assert.deepEqual(await reasons(stopped.studio), ['service_shutdown'])
})

test('what cannot be opened is our fault, and nothing of it stays open', async (t) => {
  const { studio, customer } = await openSession(t)
  for (const what of ['conversation.open', 'endpoint.open']) {
    const { outside } = studio.exchange
    outside.misfortune = () => outside.asked.at(-1) === what
    const caller = await studio.exchange.callIn(customer.number)
    await studio.rest()
    outside.misfortune = () => false
    assert.ok(caller.over)
    assert.equal(studio.exchange.lastEnd?.reason, 'service_failure')
  }
})
