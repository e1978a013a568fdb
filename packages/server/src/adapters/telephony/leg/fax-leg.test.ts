import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dropped, ScriptedFaxEngine, sentWell, type ScriptedFaxStream } from '#test/fax/scripted-fax-engine.ts'
import { CallEnd } from '@offhook/sip/testing/sip-call.ts'
import { SipNetwork, type TestAgent } from '@offhook/sip/testing/sip-network.ts'
import type { FaxResult } from '#core/kernel/ports/messages.ts'
import type { LegEnd } from '#core/kernel/ports/telephony.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import type { InviteDraft, OfferReply, Session } from '@offhook/sip/session/session.ts'
import type { UserAgentOptions } from '@offhook/sip/user-agent/user-agent-options.ts'
import { SipFaxLeg } from './fax-leg.ts'
import { FaxMedia, neverStarted } from './fax-media.ts'
import { FaxNegotiation } from '../sdp/fax-negotiation.ts'

const describe = (...lines: string[]): string =>
  ['v=0', 'o=- 1 1 IN IP4 10.0.0.2', 's=-', 'c=IN IP4 10.0.0.2', 't=0 0', ...lines, ''].join('\r\n')
const theirAudio = describe('m=audio 4000 RTP/AVP 8')
const theirT38 = describe('m=image 5000 udptl t38', 'a=T38FaxUdpEC:t38UDPRedundancy')
const noT38 = describe('m=image 0 udptl t38')
const [overAudio, overT38] = ['PCMA 10.0.0.2:4000', 'T.38 10.0.0.2:5000']

const kindOf = (sdp: string | undefined): string => (sdp === undefined ? 'nothing' : (parseSdp(sdp).media[0]?.kind ?? ''))
/** A far end that accepts any offer. */
const obliging = (sdp: string | undefined): OfferReply => ({ sdp: kindOf(sdp) === 'image' ? theirT38 : theirAudio })

const toSend = { file: '/tmp/a.tif', firstPage: 0, station: '+49 30 2', header: 'Bakery' }
const toReceive = { file: '/tmp/b.tif', station: '+49 30 3' }

interface FaxLegFixture {
  net: SipNetwork
  ours: TestAgent
  theirs: TestAgent
  engine: ScriptedFaxEngine
  /** The far end. */
  peer: CallEnd
  media(): FaxMedia
}

const openFixture = (t: TestContext, options: Partial<UserAgentOptions> = {}): FaxLegFixture => {
  const net = new SipNetwork(t)
  const [ours, theirs] = [net.agent('10.0.0.1', options), net.agent('10.0.0.2', options)]
  const engine = new ScriptedFaxEngine()
  const peer = new CallEnd()
  peer.reply = obliging
  const media = () => new FaxMedia(engine, new FaxNegotiation({ codecs: ['PCMA', 'PCMU'], address: '10.0.0.1' }))
  return { net, ours, theirs, engine, peer, media }
}

interface Fax {
  leg: SipFaxLeg
  /** The far end's side of the call. */
  session: Session
  stream: ScriptedFaxStream
  /** The result, once known. */
  result: Promise<FaxResult>
  /** Time for a round trip of messages. */
  settle(): Promise<void>
}

const onFailure = (error: unknown): void => assert.fail(String(error))

/** We have called, and it rings. */
const calling = async (fixture: FaxLegFixture): Promise<Omit<Fax, 'session'>> => {
  const { net, ours, theirs, engine } = fixture
  const media = fixture.media()
  await media.open(true)
  const [stream] = engine.streams
  assert.ok(stream)
  const draft = { uri: theirs.uri, from: '<sip:fax@10.0.0.1>' }
  const leg = new SipFaxLeg({
    clock: net.clock,
    media,
    onFailure,
    connect: (observer) => ours.ua.invite({ ...draft, sdp: media.offer('audio') }, observer),
    reconnect: (observer) => ours.ua.invite({ ...draft, sdp: media.offer('t38') }, observer),
  })
  const result = leg.send(toSend)
  const settle = () => net.clock.advance(100)
  await settle()
  return { leg, stream, result, settle }
}

const sending = async (fixture: FaxLegFixture): Promise<Fax> => {
  const call = await calling(fixture)
  const session = fixture.theirs.invites[0]?.session
  assert.ok(session)
  session.observe(fixture.peer.observer)
  assert.equal(call.stream.job, undefined, 'nothing is sent before somebody answers')
  void session.accept({ sdp: theirAudio })
  await call.settle()
  assert.deepEqual([call.stream.job, call.stream.calling, call.leg.answered], [toSend, true, true])
  return { ...call, session }
}

/** They have called, and we answer. */
const receiving = async (fixture: FaxLegFixture, draft: Partial<InviteDraft> = {}): Promise<Fax> => {
  const { net, ours, theirs, engine, peer } = fixture
  const session = theirs.ua.invite({ uri: ours.uri, from: '<sip:machine@10.0.0.2>', sdp: theirAudio, ...draft }, peer.observer)
  const settle = () => net.clock.advance(100)
  await settle()
  const invite = ours.invites[0]
  assert.ok(invite)
  const leg = new SipFaxLeg({
    clock: net.clock,
    media: fixture.media(),
    offer: { sdp: invite.sdp },
    onFailure,
    connect: (observer) => {
      invite.session.observe(observer)
      return invite.session
    },
  })
  const result = leg.receive(toReceive)
  await settle()
  const [stream] = engine.streams
  assert.ok(stream)
  return { leg, session, stream, result, settle }
}

const overWith = async (fax: Fax, net: SipNetwork): Promise<LegEnd> => {
  fax.stream.finish(sentWell)
  assert.deepEqual(await fax.result, sentWell)
  await fax.settle()
  assert.equal(fax.stream.closed, true)
  assert.equal(net.count('BYE', '10.0.0.1'), 1)
  return fax.leg.ended
}

test('starts in audio at the answer, switches to T.38 when the far end offers it, and hangs up', async (t) => {
  const fixture = openFixture(t)
  const fax = await sending(fixture)
  assert.deepEqual(fax.stream.lines, [overAudio])
  assert.deepEqual((await Promise.all([fax.session.offer(theirT38), fax.settle()]))[0].status, 200)
  assert.deepEqual(fax.stream.lines, [overAudio, overT38])
  assert.equal(fax.stream.t38Settings?.errorRecovery, 'redundancy')
  assert.ok(fax.leg.dialog())
  assert.deepEqual(await overWith(fax, fixture.net), { by: 'us', cause: 'normal' })
  assert.equal(fax.leg.dialog(), undefined)
})

test('rejects T.38 while pages are under way, and continues in audio', async (t) => {
  const fixture = openFixture(t)
  const fax = await sending(fixture)
  fax.stream.settled = true
  const [{ status }] = await Promise.all([fax.session.offer(theirT38), fax.settle()])
  assert.equal(status, 488)
  assert.deepEqual(fax.stream.lines, [overAudio])
  const [held] = await Promise.all([fax.session.offer(describe('m=audio 4000 RTP/AVP 8', 'a=sendonly')), fax.settle()])
  assert.equal(held.status, 200)
  assert.deepEqual(fax.stream.lines, [overAudio, overAudio], 'hold changes nothing')
  await overWith(fax, fixture.net)
})

test('the callee offers T.38 after the answering tone', async (t) => {
  const fixture = openFixture(t)
  const fax = await receiving(fixture)
  assert.deepEqual([fax.stream.job, fax.stream.calling, fax.stream.lines], [toReceive, false, [overAudio]])
  await fixture.net.clock.advance(2_800)
  assert.deepEqual(fax.stream.lines, [overAudio])
  await fixture.net.clock.advance(200)
  assert.deepEqual(fax.stream.lines, [overAudio, overT38])
  await overWith(fax, fixture.net)
})

test('continues in audio when the far end rejects T.38', async (t) => {
  for (const status of [415, 488, 606, 500]) {
    const fixture = openFixture(t)
    fixture.peer.reply = () => ({ status })
    const fax = await receiving(fixture)
    await fixture.net.clock.advance(4_000)
    assert.deepEqual([fax.stream.lines, fax.stream.closed], [[overAudio], false], `after ${status}`)
    await overWith(fax, fixture.net)
  }
})

test('offers audio again when the far end agrees without accepting T.38, and ends the call otherwise', async (t) => {
  const fixture = openFixture(t)
  fixture.peer.reply = (sdp) => ({ sdp: kindOf(sdp) === 'image' ? noT38 : theirAudio })
  const fax = await receiving(fixture)
  await fixture.net.clock.advance(4_000)
  assert.deepEqual(fixture.peer.told.map((notified) => notified.split('\r\n', 1)[0]).slice(1), ['offered v=0', 'offered v=0'])
  assert.deepEqual(fax.stream.lines, [overAudio, overAudio])
  await overWith(fax, fixture.net)
  const stubborn = openFixture(t)
  stubborn.peer.reply = () => ({ sdp: noT38 })
  const lost = await receiving(stubborn)
  await stubborn.net.clock.advance(4_000)
  assert.deepEqual([await lost.leg.ended, await lost.result], [{ by: 'network', cause: 'not_acceptable' }, dropped])
})

test('both sides get T.38 when both offer it at the same time', async (t) => {
  const fixture = openFixture(t)
  const fax = await receiving(fixture)
  await fixture.net.clock.advance(2_880)
  fixture.net.conditions = { delay: [50, 50] }
  const offered = fax.session.offer(theirT38)
  await fixture.net.clock.advance(10_000)
  assert.ok(fixture.net.count('491 INVITE') > 0, 'they met')
  assert.equal((await offered).status, 200)
  assert.deepEqual([...new Set(fax.stream.lines)], [overAudio, overT38])
  await overWith(fax, fixture.net)
})

test('answers a T.38 offer with T.38 and sends no offer', async (t) => {
  const fixture = openFixture(t)
  const fax = await receiving(fixture, { sdp: theirT38 })
  await fixture.net.clock.advance(10_000)
  assert.deepEqual([fax.stream.lines, fixture.net.count('INVITE', '10.0.0.1')], [[overT38], 0])
  await overWith(fax, fixture.net)
})

test('a caller without an offer gets audio, then T.38', async (t) => {
  const fixture = openFixture(t)
  const fax = await receiving(fixture, { sdp: undefined })
  assert.deepEqual(fax.stream.lines, [overAudio])
  await fixture.net.clock.advance(4_000)
  assert.deepEqual(fax.stream.lines, [overAudio, overT38])
})

test('answers an empty offer with the current transport', async (t) => {
  const fixture = openFixture(t)
  const fax = await receiving(fixture, { sdp: theirT38 })
  const [{ status }] = await Promise.all([fax.session.offer(undefined), fax.settle()])
  assert.equal(status, 200)
  assert.equal(kindOf(fixture.peer.told.findLast((notified) => notified.startsWith('offered'))?.slice('offered '.length)), 'image')
  assert.deepEqual([...new Set(fax.stream.lines)], [overT38])
})

test('session refreshes do not change the transport', async (t) => {
  const fixture = openFixture(t, { sessionTimer: { expires: 90, min: 90 } })
  const fax = await sending(fixture)
  await Promise.all([fax.session.offer(theirT38), fax.settle()])
  await fixture.net.clock.advance(600_000)
  assert.deepEqual([fax.stream.closed, fax.stream.lines.at(-1)], [false, overT38])
  assert.ok(fixture.net.count('INVITE') + fixture.net.count('UPDATE') > 6)
  await overWith(fax, fixture.net)
})

test('calls a T.38-only machine again with T.38', async (t) => {
  const fixture = openFixture(t)
  const call = await calling(fixture)
  fixture.theirs.invites[0]?.session.reject(488)
  await call.settle()
  const again = fixture.theirs.invites[1]
  assert.equal(kindOf(again?.sdp), 'image')
  void again?.session.accept({ sdp: theirT38 })
  await call.settle()
  assert.deepEqual([call.stream.lines, call.stream.job], [[overT38], toSend])
  const stubborn = openFixture(t)
  const refused = await calling(stubborn)
  stubborn.theirs.invites[0]?.session.reject(488)
  await refused.settle()
  stubborn.theirs.invites[1]?.session.reject(488)
  await refused.settle()
  assert.deepEqual(await refused.leg.ended, { by: 'peer', cause: 'not_acceptable', status: 488 })
  assert.deepEqual(await refused.result, neverStarted)
})

test('either side can hang up: the far end in a page or before its answer, we before an answer', async (t) => {
  const fixture = openFixture(t)
  const fax = await sending(fixture)
  await Promise.all([fax.session.end(), fax.settle()])
  assert.deepEqual([await fax.leg.ended, await fax.result], [{ by: 'peer', cause: 'normal' }, dropped])
  const busy = openFixture(t)
  const call = await calling(busy)
  busy.theirs.invites[0]?.session.reject(486)
  await call.settle()
  assert.deepEqual([await call.leg.ended, await call.result], [{ by: 'peer', cause: 'busy', status: 486 }, neverStarted])
  assert.equal(call.stream.closed, true)
  const waiting = openFixture(t)
  const rings = await calling(waiting)
  void waiting.theirs.invites[0]?.session.progress(180)
  await rings.settle()
  await Promise.all([rings.leg.hangUp('no_answer'), rings.settle()])
  assert.deepEqual([await rings.result, waiting.net.count('CANCEL')], [neverStarted, 1])
})

test('answers no call without a modem', async (t) => {
  const fixture = openFixture(t)
  const { net, ours, theirs, peer } = fixture
  fixture.engine.missing = 'libspandsp2'
  theirs.ua.invite({ uri: ours.uri, from: '<sip:machine@10.0.0.2>', sdp: theirAudio }, peer.observer)
  await net.clock.advance(100)
  const [invite] = ours.invites
  assert.ok(invite)
  const failures: unknown[] = []
  const leg = new SipFaxLeg({
    clock: net.clock,
    media: fixture.media(),
    offer: { sdp: invite.sdp },
    onFailure: (error) => failures.push(error),
    connect: (observer) => {
      invite.session.observe(observer)
      return invite.session
    },
  })
  const result = leg.receive(toReceive)
  await net.clock.advance(100)
  assert.deepEqual([await result, failures.length, peer.told], [neverStarted, 1, ['ended by peer 503']])
})
