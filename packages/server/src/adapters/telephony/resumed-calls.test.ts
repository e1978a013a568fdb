// test: real time
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Leg, LegObserver, Resumed, SavedDialog } from '#core/kernel/ports/telephony.ts'
import { PortPool } from '#media/socket/port-pool.ts'
import type { RtpPhone } from '#test/phones/rtp-phone.ts'
import { Office } from '#test/phones/telephone-office.ts'

const [low, high] = [600, 1100]

/** As restored from the database. */
const kept = (leg: Leg): SavedDialog => JSON.parse(JSON.stringify(leg.dialog() ?? assert.fail('nothing to keep'))) as SavedDialog

const legOf = (resumed: Resumed | undefined): Leg => resumed?.leg ?? assert.fail(`not resumed: ${JSON.stringify(resumed)}`)

const notifications = <K extends keyof LegObserver>(leg: Leg, member: K): Promise<Parameters<NonNullable<LegObserver[K]>>[0]> =>
  new Promise((resolve) => {
    leg.observe({ [member]: resolve })
  })

const versionOf = (sdp: string | undefined): number => Number(/^o=- \d+ (\d+)/m.exec(sdp ?? '')?.[1])

const sources = ({ packets }: RtpPhone): number[] => packets.map(({ ssrc }) => ssrc)

const bridged = (t: TestContext, office: Office, legs: readonly Leg[]): void => {
  const bridge = office.telephony.bridge()
  t.after(() => bridge.close())
  for (const leg of legs) bridge.add(leg)
}

/** Two phones that talk with each other on the first of two nodes: one called us, the other was called. */
const talking = async (t: TestContext) => {
  const [first, second] = [await Office.open(t), await Office.open(t)]
  const caller = await first.answerCall()
  const { phone, deviceId } = await first.phone()
  const [called] = await first.dialDevice(deviceId)
  const leg = called ?? assert.fail('not called')
  const incoming = await phone.incoming()
  const answered = notifications(leg, 'answered')
  await phone.accept(incoming)
  await answered
  bridged(t, first, [caller.leg, leg])
  caller.phone.rtp.say(low)
  phone.rtp.say(high)
  await Promise.all([caller.phone.rtp.hears(high), phone.rtp.hears(low)])
  return { first, second, caller, callee: { phone, leg, call: incoming.call } }
}

/** The first node is gone, and the second takes over. */
const resumed = async (office: Office, legs: readonly Leg[], agreed?: (id: string) => Promise<void>): Promise<Resumed[]> => {
  const saved = legs.map(kept)
  for (const leg of legs) leg.abandon()
  return office.telephony.resume(saved, agreed && { agreed })
}

test('both phones of a call continue on another node with all functions', async (t) => {
  const { second, caller, callee } = await talking(t)
  const results = await resumed(second, [caller.leg, callee.leg])
  const [one, other] = results.map(legOf)
  assert.ok(one && other)
  assert.deepEqual([one.id, other.id, one.answered, one.heldByPeer], [caller.leg.id, callee.leg.id, true, false])
  bridged(t, second, [one, other])
  await Promise.all([caller.phone.rtp.hears(high), callee.phone.rtp.hears(low)])
  assert.ok(versionOf(await caller.call.offers.next()) >= 100)
  // The phone holds us, presses keys and requests a transfer; we hold it.
  const held = notifications(one, 'held')
  await caller.call.session.offer(caller.phone.sdp('sendonly'))
  assert.deepEqual([await held, one.heldByPeer], [true, true])
  await caller.call.session.offer(caller.phone.sdp())
  const digit = notifications(other, 'dtmf')
  assert.equal(await callee.call.session.info('application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n'), 200)
  assert.equal(await digit, '5')
  const transfer = notifications(other, 'transferAsked')
  void callee.call.session.refer('sip:123@127.0.0.1')
  assert.deepEqual((await transfer).to, { dialled: '123' })
  await other.hold(true)
  assert.match((await callee.call.offers.next()) ?? '', /a=sendrecv/)
  assert.match((await callee.call.offers.next()) ?? '', /a=sendonly/)
  await other.hold(false)
  // One hangs up, the other is hung up.
  void caller.call.session.end()
  assert.deepEqual(await one.ended, { by: 'peer', cause: 'normal' })
  await other.hangUp('normal')
  assert.equal((await callee.call.ended).by, 'peer')
  assert.deepEqual(second.failures, [])
})

test('keeps hold and mute', async (t) => {
  const { second, caller, callee } = await talking(t)
  await caller.leg.hold(true)
  assert.match((await caller.call.offers.next()) ?? '', /a=sendonly/)
  await callee.call.session.offer(callee.phone.sdp('sendonly'))
  callee.leg.audio.mute(true)
  const [one, other] = (await resumed(second, [caller.leg, callee.leg])).map(legOf)
  assert.ok(one && other)
  assert.match((await caller.call.offers.next()) ?? '', /a=sendonly/)
  await caller.phone.rtp.until(() => caller.phone.rtp.recent(200).some((sample) => Math.abs(sample) > 500), 'no music')
  await one.hold(false)
  assert.match((await caller.call.offers.next()) ?? '', /a=sendrecv/)
  bridged(t, second, [one, other])
  // Its phone does not signal its hold in the answer here, so it counts as resumed.
  await callee.phone.rtp.hears(low)
  await caller.phone.rtp.missing(high)
  other.audio.mute(false)
  await caller.phone.rtp.hears(high)
})

test('a node that hands over a leg stops before the other one starts', async (t) => {
  const { second, caller, callee } = await talking(t)
  const legs = [caller.leg, callee.leg]
  const { promise, resolve } = Promise.withResolvers<void>()
  const asked: string[] = []
  const saved = legs.map(kept)
  const going = second.telephony.resume(saved, {
    agreed: async (id) => {
      asked.push(id)
      await promise
      legs.find((leg) => leg.id === id)?.abandon()
    },
  })
  await Promise.all([caller.call.offers.next(), callee.call.offers.next()])
  await Promise.all([caller.phone.rtp.hears(high), callee.phone.rtp.hears(low)]) // from the first node
  assert.equal(new Set(sources(caller.phone.rtp)).size, 1)
  resolve()
  const [one, other] = (await going).map(legOf)
  assert.ok(one && other)
  assert.deepEqual(asked.toSorted(), legs.map(({ id }) => id).toSorted())
  bridged(t, second, [one, other])
  await caller.phone.rtp.until(() => new Set(sources(caller.phone.rtp)).size === 2, 'no second stream')
  await caller.phone.rtp.hears(high)
  const order = sources(caller.phone.rtp).filter((ssrc, at, all) => ssrc !== all[at - 1])
  assert.equal(order.length, 2, 'nothing of the first stream came after the second began')
})

test('reports a phone that no longer knows the call, and one that rejects the offer', async (t) => {
  const { second, caller, callee } = await talking(t)
  caller.call.session.abandon()
  callee.call.session.observe({ offered: () => ({ status: 488 }) })
  assert.deepEqual(await resumed(second, [caller.leg, callee.leg]), [{ reason: 'hung_up' }, { reason: 'refused' }])
  assert.equal((await callee.call.session.ended).by, 'peer', 'it was sent BYE')
})

test('offers all codecs to a phone that rejects the agreed one', async (t) => {
  const { second, caller } = await talking(t)
  const offers: string[] = []
  caller.call.session.observe({
    offered: (sdp = '') => {
      offers.push(sdp)
      return offers.length === 1 ? { status: 488 } : { sdp: caller.phone.sdp().replace('RTP/AVP 8', 'RTP/AVP 0') }
    },
  })
  const [result] = await resumed(second, [caller.leg])
  assert.ok(result?.leg)
  assert.deepEqual(
    offers.map((sdp) => /^m=audio \d+ (.*?)\r?$/m.exec(sdp)?.[1]),
    ['RTP/AVP 8 101', 'RTP/AVP 111 9 8 0 101 110'],
  )
})

test('only ends calls stored by an older version, and keeps unknown fields of a newer one', async (t) => {
  const { second, caller, callee } = await talking(t)
  const { media: _, session: __, legId: ___, ...old } = kept(caller.leg)
  assert.deepEqual(await second.telephony.resume([old]), [{ reason: 'impossible' }])
  await second.telephony.sayBye(old)
  assert.equal((await caller.call.ended).by, 'peer')
  const newer = { ...kept(callee.leg), version: 3, novelty: { a: 1 } }
  callee.leg.abandon()
  const [result] = await second.telephony.resume([newer])
  const again = kept(legOf(result))
  assert.deepEqual([again['novelty'], again['version'], again['legId']], [{ a: 1 }, 2, callee.leg.id])
})

test('sends no message to the phone without a free port, so that another node can take over', async (t) => {
  const { second, caller } = await talking(t)
  const full = await Office.open(t, { media: { ports: new PortPool({ first: 1, last: 0 }) } })
  const saved = kept(caller.leg)
  caller.leg.abandon()
  assert.deepEqual(await full.telephony.resume([saved]), [{ reason: 'full' }])
  const [result] = await second.telephony.resume([saved])
  assert.ok(result?.leg)
})

test('notifies observers when the state differs from the stored one', async (t) => {
  const office = await Office.open(t)
  const { leg, call, phone } = await office.receiveCall()
  const kept: (SavedDialog | undefined)[] = []
  const keep = () => kept.push(leg.dialog())
  leg.observe({ changed: keep })
  keep()
  await Promise.all([leg.answer(), call.answered])
  assert.deepEqual(
    kept.map((dialog) => dialog?.['legId'] !== undefined),
    [false, true],
    'it can go on when it is answered',
  )
  leg.audio.mute(true)
  leg.audio.mute(true)
  await call.session.offer(phone.sdp('sendonly'))
  await call.session.offer(phone.sdp('sendonly'))
  await leg.hold(true)
  assert.equal(kept.length, 5)
})
