// test: real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { until } from '#test/machine/peer-process.ts'
import { SipPhone, type PhoneCall } from '#test/phones/sip-phone.ts'
import { Office, plainDial } from '#test/phones/telephone-office.ts'
import { CapacityExceeded, type DialTarget, type Leg, type SavedDialog } from '#core/kernel/ports/telephony.ts'
import { PortPool } from '#media/socket/port-pool.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'

const called = '+493023125099'

test('identifies an authenticated phone by its device, whatever it claims', async (t) => {
  const office = await Office.open(t)
  const { phone, deviceId } = await office.phone({ registered: false })
  const headers = [['P-Asserted-Identity', '<tel:+493023125001>']] as const
  const call = phone.call('030 23125099'.replace(' ', ''), { headers })
  const incoming = await office.incoming()
  assert.deepEqual(incoming.origin, { kind: 'device', accountId: office.accountId, deviceId })
  assert.deepEqual(incoming.caller, { number: undefined, name: '', withheld: false })
  assert.equal(incoming.dialled, '03023125099')
  assert.deepEqual([incoming.hops, incoming.diversions, incoming.replaces], [0, [], undefined])
  await incoming.leg.hangUp('not_found')
  assert.equal((await call.ended).status, 404)
})

test('answers unknown sources, wrong names and wrong passwords alike', async (t) => {
  const office = await Office.open(t)
  const { phone } = await office.phone({ registered: false })
  const answerTo = async (user: string, password?: string) => {
    const outsider = await SipPhone.open(t, { server: office.server, user, ...(password !== undefined && { password }) })
    const { status, message } = await outsider.call(called).ended
    const names = message?.lines('www-authenticate').map((line) => line.replace(/nonce="[^"]*"/, ''))
    return { status, names, server: message?.header('server') }
  }
  for (const password of [undefined, 'wrong']) {
    const [known, unknown, nobody] = [
      await answerTo(phone.user, password),
      await answerTo('9999999e0', password),
      await answerTo('bob', password),
    ]
    assert.equal(known.status, 401)
    assert.deepEqual(known, unknown)
    assert.deepEqual(known, nobody)
  }
})

test('identifies a carrier by its address, and trusts its caller identity', async (t) => {
  const office = await Office.open(t)
  const { phone, trunkId } = await office.carrier('127.0.0.2', { numberFormat: 'DIGITS' })
  const headers = [
    ['P-Asserted-Identity', '"Bob" <sip:33142278186@carrier.example>'],
    ['Diversion', '<sip:493023125001@carrier.example>'],
    ['X-Offhook-Hops', '2'],
  ] as const
  phone.call('493023125099', { headers })
  const { leg, ...rest } = await office.incoming()
  assert.deepEqual(rest, {
    origin: { kind: 'trunk', trunkId },
    dialled: called,
    caller: { number: '+33142278186', name: 'Bob', withheld: false },
    diversions: ['+493023125001'],
    hops: 2,
    replaces: undefined,
  })
  assert.equal(office.telephony.trunkHealth(trunkId).calls, 1)
  await leg.hangUp('normal')
  assert.equal(office.telephony.trunkHealth(trunkId).calls, 0)
})

test('limits a carrier to its agreed calls', async (t) => {
  const office = await Office.open(t)
  const { phone } = await office.carrier('127.0.0.2', { maxCalls: 1 })
  phone.call(called)
  const { leg } = await office.incoming()
  assert.equal((await phone.call(called).ended).status, 503)
  await leg.hangUp('normal')
  phone.call(called)
  await (await office.incoming()).leg.hangUp('normal')
})

test('a phone at a carrier’s address is still a phone', async (t) => {
  const office = await Office.open(t)
  await office.carrier('127.0.0.1')
  const { call, origin, leg, deviceId } = await office.receiveCall(called)
  assert.deepEqual(origin, { kind: 'device', accountId: office.accountId, deviceId })
  await leg.hangUp('normal')
  await call.ended
})

test('rejects an offer without supported formats immediately', async (t) => {
  const office = await Office.open(t)
  const { phone } = await office.phone({ registered: false })
  const video = phone.sdp().replace('m=audio', 'm=video')
  assert.equal((await phone.call(called, { sdp: video }).ended).status, 488)
})

test('an IPv4-only service rejects a phone that is only reachable over IPv6', async (t) => {
  const office = await Office.open(t)
  const { phone } = await office.phone({ registered: false })
  const six = phone.sdp().replaceAll('IN IP4 127.0.0.1', 'IN IP6 ::1')
  assert.equal((await phone.call(called, { sdp: six }).ended).status, 488)
  const fax = six.replace(/m=audio[^]*/, 'm=image 4000 udptl t38\r\na=T38FaxVersion:0\r\n')
  assert.equal((await phone.call(called, { sdp: fax }).ended).status, 488)
})

/** An offer of pjsua: a line of this profile, with these encryption attributes. */
const pjsuaOffer = (port: number, profile: string, encryption: readonly string[]): string =>
  [
    'v=0',
    'o=- 3985283412 3985283412 IN IP4 127.0.0.1',
    's=pjmedia',
    'b=AS:84',
    't=0 0',
    'a=X-nat:0',
    `m=audio ${port} ${profile} 8 0 120`,
    'c=IN IP4 127.0.0.1',
    'b=TIAS:64000',
    `a=rtcp:${port + 1} IN IP4 127.0.0.1`,
    'a=sendrecv',
    'a=rtpmap:8 PCMA/8000',
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:120 telephone-event/8000',
    'a=fmtp:120 0-16',
    'a=ssrc:1362814911 cname:71b2d4ab3f1f8f1e',
    ...encryption,
    '',
  ].join('\r\n')

test('pjsua: encrypts optional encryption, rejects DTLS without ICE, stays plain if left to us', async (t) => {
  const office = await Office.open(t)
  const { phone } = await office.phone({ registered: false })
  const key = Buffer.alloc(30, 7).toString('base64')
  const keys = [
    `a=crypto:1 AES_256_CM_HMAC_SHA1_80 inline:${Buffer.alloc(46, 7).toString('base64')}`,
    `a=crypto:3 AES_CM_128_HMAC_SHA1_80 inline:${key}`,
  ]
  const dtls = ['a=setup:actpass', `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`]
  const answerTo = async (profile: string, encryption: readonly string[]) => {
    const call = phone.call(called, { sdp: pjsuaOffer(phone.rtp.port, profile, encryption) })
    const { leg } = await office.incoming()
    await leg.answer()
    const audio = parseSdp((await call.answered).body.toString()).media[0]
    await leg.hangUp('normal')
    return { profile: audio?.protocol, suites: audio?.crypto.map(({ tag, suite }) => `${tag} ${suite}`) }
  }
  const encrypted = { suites: ['3 AES_CM_128_HMAC_SHA1_80'] }
  assert.deepEqual(await answerTo('RTP/AVP', keys), { profile: 'RTP/AVP', ...encrypted })
  assert.deepEqual(await answerTo('RTP/SAVP', keys), { profile: 'RTP/SAVP', ...encrypted })
  assert.deepEqual(await answerTo('RTP/AVP', dtls), { profile: 'RTP/AVP', suites: [] })
  const alone = phone.call(called, { sdp: pjsuaOffer(phone.rtp.port, 'UDP/TLS/RTP/SAVP', dtls) })
  assert.equal((await alone.ended).status, 488)
})

test('calls a device at all of its registrations, and only there', async (t) => {
  const office = await Office.open(t)
  const { phone, deviceId } = await office.phone()
  const dial = { caller: { number: '+33142278186', name: 'Bob', withheld: false }, diversions: ['+493023125001'], hops: 1 }
  const [leg, ...others] = await office.dialDevice(deviceId, dial)
  assert.ok(leg)
  assert.equal(others.length, 0)
  const ringing = new Promise<void>((resolve) => leg.observe({ ringing: resolve }))
  const answered = new Promise<void>((resolve) => leg.observe({ answered: resolve }))
  const { call, invite } = await phone.incoming()
  assert.equal(invite.request.from.display, 'Bob')
  assert.match(invite.request.from.uri, /^sip:\+33142278186@127\.0\.0\.1$/)
  assert.equal(invite.request.header('x-offhook-hops'), '1')
  assert.match(invite.request.header('diversion') ?? '', /\+493023125001/)
  await call.session.progress(180)
  await ringing
  await phone.accept({ call, invite })
  await answered
  leg.audio.play({ tone: 'beep' })
  await phone.rtp.hears(1000)
  await call.session.end()
  assert.deepEqual(await leg.ended, { by: 'peer', cause: 'normal' })
  const { deviceId: unspecified } = await office.phone({ registered: false })
  assert.deepEqual(await office.dialDevice(unspecified), [])
})

test('tells a cancelled phone that the call was answered elsewhere', async (t) => {
  const office = await Office.open(t)
  const { phone, deviceId } = await office.phone()
  const [leg] = await office.dialDevice(deviceId)
  const { call } = await phone.incoming()
  await call.session.progress(180)
  await leg?.hangUp('answered_elsewhere')
  const { message } = await call.ended
  assert.equal(message?.header('reason'), 'SIP;cause=200;text="Call completed elsewhere"')
})

test('distinguishes a busy phone, one that declines and a silent one', async (t) => {
  const office = await Office.open(t)
  const { phone, deviceId } = await office.phone()
  for (const [status, cause] of [
    [486, 'busy'],
    [603, 'rejected'],
    [480, 'unavailable'],
  ] as const) {
    const [leg] = await office.dialDevice(deviceId)
    const { call } = await phone.incoming()
    call.session.reject(status)
    assert.deepEqual(await leg?.ended, { by: 'peer', cause, status })
  }
})

test('calls a phone that requires encryption again with it, and directly the next time', async (t) => {
  const office = await Office.open(t)
  const { phone, deviceId } = await office.phone()
  const key = Buffer.alloc(30, 1).toString('base64')
  const encrypted = phone.sdp().replace('RTP/AVP', 'RTP/SAVP').concat(`a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}\r\n`)
  const [leg] = await office.dialDevice(deviceId)
  const first = await phone.incoming()
  assert.equal(parseSdp(first.invite.sdp ?? '').media[0]?.protocol, 'RTP/AVP')
  first.call.session.reject(488)
  for (const dialled of [() => [leg], () => office.dialDevice(deviceId)]) {
    const [expected] = await dialled()
    const { call, invite } = await phone.incoming()
    const audio = parseSdp(invite.sdp ?? '').media[0]
    assert.equal(audio?.protocol, 'RTP/SAVP')
    assert.deepEqual(
      audio.crypto.map(({ suite }) => suite),
      ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'],
    )
    await call.session.accept({ sdp: encrypted })
    assert.equal(expected?.answered, true)
    await expected.hangUp('normal')
  }
})

test('stops calling a phone that rejects every offer', async (t) => {
  const office = await Office.open(t)
  const { phone, deviceId } = await office.phone()
  const [leg] = await office.dialDevice(deviceId)
  const protocols: (string | undefined)[] = []
  for (let count = 0; count < 3; count++) {
    const { call, invite } = await phone.incoming()
    protocols.push(invite.sdp === undefined ? 'what do you want?' : parseSdp(invite.sdp).media[0]?.protocol)
    call.session.reject(488)
  }
  assert.deepEqual(protocols, ['RTP/AVP', 'RTP/SAVP', 'what do you want?'])
  assert.deepEqual(await leg?.ended, { by: 'peer', cause: 'not_acceptable', status: 488 })
})

test('calls a carrier with a number in its format, and answers its challenge', async (t) => {
  const office = await Office.open(t)
  const { phone, trunkId } = await office.carrier('127.0.0.2', { numberFormat: 'DOUBLE_ZERO', username: 'account7', password: 'Sesam' })
  const target = { kind: 'trunk', trunkId, number: '+33142278186', emergency: false } as const
  const [leg] = await office.telephony.dial(target, { ...plainDial, caller: { ...plainDial.caller, withheld: true } })
  const first = await phone.incoming()
  assert.match(first.invite.request.uri, /^sip:0033142278186@127\.0\.0\.2:/)
  assert.match(first.invite.request.from.uri, /anonymous@anonymous\.invalid/)
  assert.match(first.invite.request.header('p-asserted-identity') ?? '', /sip:00493023125042@/)
  assert.equal(first.invite.request.header('privacy'), 'id')
  first.call.session.reject(407, [['Proxy-Authenticate', 'Digest realm="127.0.0.2", nonce="n", qop="auth", algorithm=MD5']])
  const { call, invite } = await phone.incoming()
  assert.match(invite.request.header('proxy-authorization') ?? '', /username="account7"/)
  assert.equal(office.telephony.trunkHealth(trunkId).calls, 1)
  await phone.accept({ call, invite })
  assert.equal(leg?.answered, true)
  await leg.hangUp('normal')
  assert.equal(office.telephony.trunkHealth(trunkId).calls, 0)
  assert.deepEqual(await office.telephony.dial({ ...target, trunkId: 'unknown' }, plainDial), [])
})

test('answers OPTIONS with 503 while draining; calls are still passed on', async (t) => {
  const office = await Office.open(t)
  const { phone } = await office.phone({ registered: false })
  const ask = async () => (await phone.request('OPTIONS', `sip:${office.server}`)).status
  assert.equal(await ask(), 200)
  office.telephony.drain()
  assert.equal(await ask(), 503)
  phone.call('112')
  await (await office.incoming()).leg.hangUp('normal')
})

test('answers OPTIONS with 503 when it could not take a call', async (t) => {
  let unwell = false
  const office = await Office.open(t, { telephony: { isUnwell: () => unwell } })
  const { phone } = await office.phone({ registered: false })
  const ask = () => phone.request('OPTIONS', `sip:${office.server}`)
  assert.equal((await ask()).status, 200)
  unwell = true
  const answer = await ask()
  assert.deepEqual([answer.status, answer.header('retry-after')], [503, '5'])
})

test('calls a trunk through its outbound proxy', async (t) => {
  const office = await Office.open(t)
  const proxy = await SipPhone.open(t, { server: office.server, address: '127.0.0.9' })
  const { trunkId } = await office.carrier('127.0.0.8', { host: '192.0.2.9', outboundProxy: proxy.address })
  await until('it is asked whether it is well', () => proxy.requests.length > 0)
  assert.equal(proxy.requests[0]?.header('route'), `<sip:${proxy.address};transport=udp;lr>`)
  const [leg] = await office.telephony.dial({ kind: 'trunk', trunkId, number: '+4930123', emergency: false }, plainDial)
  const { invite } = await proxy.incoming()
  assert.equal(invite.request.target.host, '192.0.2.9')
  assert.equal(invite.request.header('route'), `<sip:${proxy.address};transport=udp;lr>`)
  await leg?.hangUp('normal')
})

test('closing ends the remaining calls and notifies the phones', async (t) => {
  const office = await Office.open(t)
  const { phone, call, leg } = await office.answerCall(called)
  const waiting = phone.call(called)
  const unanswered = await office.incoming()
  await office.telephony.close()
  assert.equal((await call.ended).by, 'peer')
  assert.equal((await waiting.ended).status, 503)
  assert.equal((await leg.ended).by, 'us')
  assert.equal((await unanswered.leg.ended).by, 'us')
  assert.deepEqual(office.failures, [])
})

test('ends calls of a previous run: from phones, to phones, and over trunks', async (t) => {
  const office = await Office.open(t)
  const { phone, deviceId } = await office.phone()
  const { phone: carrier, trunkId } = await office.carrier('127.0.0.2')
  const { accountId } = office

  const calling = phone.call(called)
  const { leg: incoming } = await office.incoming()
  const before = incoming.dialog()
  await Promise.all([incoming.answer(), calling.answered])
  const answers = async (target: DialTarget, there: SipPhone): Promise<{ leg: Leg; there: PhoneCall }> => {
    const [leg = assert.fail()] = await office.telephony.dial(target, plainDial)
    assert.equal(leg.dialog(), undefined, 'not answered yet')
    const answered = new Promise<void>((resolve) => leg.observe({ answered: resolve }))
    const invite = await there.incoming()
    await Promise.all([there.accept(invite), answered])
    return { leg, there: invite.call }
  }
  const device = await answers({ kind: 'device', accountId, deviceId }, phone)
  const trunk = await answers({ kind: 'trunk', trunkId, number: called, emergency: false }, carrier)
  assert.ok(before, 'it can be kept before the phone has confirmed')
  assert.deepEqual({ ...incoming.dialog(), ...before }, incoming.dialog())
  assert.equal(trunk.leg.dialog()?.trunkId, trunkId)
  const all = [{ leg: incoming, there: calling }, device, trunk]
  for (const { leg, there } of all) {
    const kept = JSON.parse(JSON.stringify(leg.dialog())) as SavedDialog
    await office.telephony.sayBye(kept)
    const { by, reason } = await there.ended
    assert.equal(by, 'peer')
    assert.match(reason ?? '', /^Q\.850;cause=41/)
    await leg.hangUp('normal')
    assert.equal(leg.dialog(), undefined)
  }
  assert.deepEqual(office.failures, [])
})

test('sound and faxes share their ports: a call without a free port is rejected as overloaded', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2'))) return
  const first = await freePorts(t, 3)
  const office = await Office.open(t, { media: { ports: new PortPool({ first: first + (first % 2), last: first + (first % 2) + 1 }) } })
  const { phone, deviceId } = await office.phone()
  const [leg] = await office.dialDevice(deviceId)
  assert.ok(leg)
  const target: DialTarget = { kind: 'device', accountId: office.accountId, deviceId }
  await assert.rejects(office.dialDevice(deviceId), CapacityExceeded)
  await assert.rejects(office.telephony.dialFax(target, plainDial), CapacityExceeded)
  const { call } = await phone.incoming()
  await leg.hangUp('normal')
  await call.ended
})
