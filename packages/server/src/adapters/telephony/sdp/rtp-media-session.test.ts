import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CodecName } from '#media/engine.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import type { FarEnd, SavedRtp } from './media-session.ts'
import { RtpMediaSession } from './rtp-media-session.ts'

const all: CodecName[] = ['opus', 'G722', 'PCMA', 'PCMU']
const side = (codecs: CodecName[] = all, encrypted = false) => new RtpMediaSession({ codecs, address: '192.0.2.1', encrypted })
const peerNode = '198.51.100.7'

interface Written {
  address?: string
  lines: string[]
}

const sdp = ({ address = '198.51.100.7', lines }: Written): string =>
  ['v=0', `o=- 1 1 IN IP4 ${address}`, 's=-', `c=IN IP4 ${address}`, 't=0 0', ...lines, ''].join('\r\n')

const pcma = ['m=audio 4000 RTP/AVP 8 101', 'a=rtpmap:8 PCMA/8000', 'a=rtpmap:101 telephone-event/8000']
const key = (letter: string): string => Buffer.from(letter.repeat(30)).toString('base64')

const audioOf = (text: string | undefined) => {
  assert.ok(text !== undefined)
  const audio = parseSdp(text).media.find(({ kind }) => kind === 'audio')
  assert.ok(audio)
  return audio
}

test('offers every codec in our order, with telephone-event per clock rate', () => {
  const { payloads, protocol, port, direction } = audioOf(side().offer(20_000))
  assert.deepEqual(
    payloads.map(({ encoding, clockRate }) => `${encoding}/${clockRate}`),
    ['opus/48000', 'G722/8000', 'PCMA/8000', 'PCMU/8000', 'telephone-event/8000', 'telephone-event/48000'],
  )
  assert.deepEqual({ protocol, port, direction }, { protocol: 'RTP/AVP', port: 20_000, direction: 'sendrecv' })
  assert.ok(!side(['PCMA']).offer(20_000).includes('48000'))
})

test('answers with the first supported codec of the offer and its payload types', () => {
  const offer = sdp({
    lines: ['m=audio 4000 RTP/AVP 18 96 9 8 97', 'a=rtpmap:96 OPUS/48000/2', 'a=rtpmap:97 telephone-event/8000', 'a=ptime:30'],
  })
  const preferring = side(['PCMA', 'G722']).answer(offer, 20_000, peerNode)
  assert.deepEqual(preferring?.agreed, {
    heldByPeer: false,
    settings: {
      remote: { address: '198.51.100.7', port: 4000 },
      alsoFrom: [],
      codec: 'G722',
      payloadType: 9,
      dtmfPayloadType: 97,
      ptimeMs: 30,
      send: true,
      receive: true,
      srtp: undefined,
    },
  })
  assert.deepEqual(
    audioOf(preferring.sdp).payloads.map(({ type, encoding }) => `${type} ${encoding}`),
    ['9 G722', '97 telephone-event'],
  )
  const opus = side().answer(offer, 20_000, peerNode)
  assert.equal(opus?.agreed.settings.payloadType, 96)
  assert.equal(opus.agreed.settings.dtmfPayloadType, undefined, 'keys at another clock rate are of no use')
})

test('rejects formats that only one side supports', () => {
  for (const lines of [
    ['m=audio 4000 RTP/AVP 18'],
    ['m=audio 0 RTP/AVP 8'],
    ['m=image 4000 udptl t38'],
    ['m=video 4000 RTP/AVP 96', 'a=rtpmap:96 H264/90000'],
    ['m=audio 4000 UDP/TLS/RTP/SAVPF 8'],
    ['m=audio 4000 RTP/SAVP 8'],
    [],
  ])
    assert.equal(side().answer(sdp({ lines }), 20_000, peerNode), undefined, lines.join())
  assert.equal(side().answer('nonsense', 20_000, peerNode), undefined)
  assert.equal(side().answer('v=0\r\no=- 1 1 IN IP4 1.2.3.4\r\nm=audio 1 RTP/AVP 8\r\n', 20_000, peerNode), undefined, 'no address')
})

test('rejects unsupported lines one by one and keeps their positions', () => {
  const session = side()
  const lines = ['m=video 5000 RTP/AVP 96', 'a=rtpmap:96 H264/90000', ...pcma, 'm=application 6000 TCP/MRCPv2 1']
  const kinds = (text: string) => parseSdp(text).media.map(({ kind, port }) => `${kind} ${port}`)
  const answer = session.answer(sdp({ lines }), 20_000, peerNode)
  assert.ok(answer)
  assert.deepEqual(kinds(answer.sdp), ['video 0', 'audio 20000', 'application 0'])
  assert.deepEqual(kinds(session.offer(20_000)), ['video 0', 'audio 20000', 'application 0'])
})

test('understands all forms of hold and resume', () => {
  const forms: [string[], string][] = [
    [[...pcma, 'a=sendonly'], '198.51.100.7'],
    [[...pcma, 'a=inactive'], '198.51.100.7'],
    [pcma, '0.0.0.0'],
  ]
  for (const [lines, address] of forms) {
    const session = side()
    assert.equal(session.answer(sdp({ lines: pcma }), 20_000, peerNode)?.agreed.heldByPeer, false)
    const held = session.answer(sdp({ lines, address }), 20_000, peerNode)
    assert.equal(held?.agreed.heldByPeer, true)
    assert.equal(held.agreed.settings.send, false)
    assert.equal(held.agreed.settings.remote.address, '198.51.100.7', 'nobody is at 0.0.0.0')
    assert.ok(['recvonly', 'inactive'].includes(audioOf(held.sdp).direction))
    const back = session.answer(sdp({ lines: pcma }), 20_000, peerNode)
    assert.equal(back?.agreed.heldByPeer, false)
    assert.deepEqual([back.agreed.settings.send, back.agreed.settings.receive], [true, true])
  }
})

test('a held far end hears us and is not heard, also after its own offer', () => {
  const session = side(['PCMA'])
  session.offer(20_000)
  assert.ok(session.confirm(sdp({ lines: pcma }), peerNode))
  session.holding = true
  assert.equal(audioOf(session.offer(20_000)).direction, 'sendonly')
  const agreed = session.confirm(sdp({ lines: [...pcma, 'a=recvonly'] }), peerNode)
  assert.deepEqual([agreed?.settings.send, agreed?.settings.receive, agreed?.heldByPeer], [true, false, false])
  const again = session.answer(sdp({ lines: pcma }), 20_000, peerNode)
  assert.equal(audioOf(again?.sdp).direction, 'sendonly')
  const both = session.answer(sdp({ lines: [...pcma, 'a=sendonly'] }), 20_000, peerNode)
  assert.equal(audioOf(both?.sdp).direction, 'inactive')
  assert.equal(both?.agreed.heldByPeer, true)
})

test('the version counts only changes', () => {
  const session = side(['PCMA'])
  const version = (text: string) => Number(parseSdp(text).origin.version)
  const first = session.offer(20_000)
  assert.equal(session.offer(20_000), first)
  assert.ok(session.confirm(sdp({ lines: pcma }), peerNode))
  const again = session.offer(20_000)
  session.holding = true
  const held = session.offer(20_000)
  assert.equal(version(held), version(again) + 1)
  assert.equal(parseSdp(held).origin.sessionId, parseSdp(first).origin.sessionId)
  assert.equal(session.offer(20_000), held)
})

test('a later offer keeps the agreement', () => {
  const session = side()
  session.answer(
    sdp({ lines: ['m=audio 4000 RTP/AVP 99 98', 'a=rtpmap:99 G722/8000', 'a=rtpmap:98 telephone-event/8000'] }),
    20_000,
    peerNode,
  )
  assert.deepEqual(
    audioOf(session.offer(20_000)).payloads.map(({ type, encoding }) => `${type} ${encoding}`),
    ['99 G722', '98 telephone-event'],
  )
})

test('accepts offered encryption, with a constant key of our own', () => {
  const session = side(['PCMA'])
  const secure = (more: string[]) => sdp({ lines: ['m=audio 4000 RTP/SAVP 8', ...more] })
  const unusable = [
    `a=crypto:1 AES_CM_256_HMAC_SHA1_80 inline:${key('x')}`,
    `a=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:${key('x')}|2^20|1:4`,
  ]
  const usable = `a=crypto:7 AES_CM_128_HMAC_SHA1_32 inline:${key('r')}|2^31`
  assert.equal(session.answer(secure(unusable), 20_000, peerNode), undefined)
  const answer = session.answer(secure([...unusable, usable]), 20_000, peerNode)
  const srtp = answer?.agreed.settings.srtp
  assert.equal(srtp?.suite, 'AES_CM_128_HMAC_SHA1_32')
  assert.equal(Buffer.from(srtp.remoteKey).toString(), 'r'.repeat(30))
  const { protocol, crypto } = audioOf(answer?.sdp)
  assert.equal(protocol, 'RTP/SAVP')
  assert.deepEqual(
    crypto.map(({ tag, suite, key: ours }) => ({ tag, suite, ours })),
    [{ tag: 7, suite: srtp.suite, ours: Buffer.from(srtp.localKey).toString('base64') }],
  )
  const again = session.answer(secure([usable]), 20_000, peerNode)
  assert.deepEqual(again?.agreed.settings.srtp?.localKey, srtp.localKey)
  assert.equal(again.sdp, answer?.sdp)
  assert.deepEqual(audioOf(session.offer(20_000)).crypto, crypto, 'a later offer has the same key')
})

test('accepts optional encryption in a plain line, in its profile', () => {
  const input = (suite: string) => sdp({ lines: [...pcma, `a=crypto:3 ${suite} inline:${key('x')}`] })
  const session = side()
  const answer = session.answer(input('AES_CM_128_HMAC_SHA1_80'), 20_000, peerNode)
  const { protocol, crypto } = audioOf(answer?.sdp)
  assert.deepEqual([protocol, crypto.map(({ tag, suite }) => `${tag} ${suite}`)], ['RTP/AVP', ['3 AES_CM_128_HMAC_SHA1_80']])
  assert.deepEqual(answer?.agreed.settings.srtp?.remoteKey, Buffer.from('x'.repeat(30)))
  assert.deepEqual(audioOf(session.offer(20_000)).crypto, crypto, 'and later offers keep it')
  const later = session.confirm(input('AES_CM_128_HMAC_SHA1_80'), peerNode)
  assert.ok(later?.settings.srtp)

  const unknown = side().answer(input('AES_256_CM_HMAC_SHA1_80'), 20_000, peerNode)
  assert.equal(unknown?.agreed.settings.srtp, undefined)
  assert.ok(!unknown?.sdp.includes('crypto'), 'keys that we do not know are no reason to refuse a call')
})

test('ignores keys in the answer to an offer without keys', () => {
  const session = side()
  session.offer(20_000)
  const agreed = session.confirm(sdp({ lines: [...pcma, `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key('x')}`] }), peerNode)
  assert.ok(agreed)
  assert.equal(agreed.settings.srtp, undefined)
})

test('rejects an unreachable address like an unknown codec', () => {
  const narrow = () => new RtpMediaSession({ codecs: all, address: '192.0.2.1', reaches: (address) => !address.includes(':') })
  const six = ['v=0', 'o=- 1 1 IN IP6 2001:db8::7', 's=-', 'c=IN IP6 2001:db8::7', 't=0 0', ...pcma, ''].join('\r\n')
  assert.equal(narrow().likes(six), false)
  assert.equal(narrow().answer(six, 20_000, peerNode), undefined)
  const offering = narrow()
  offering.offer(20_000)
  assert.equal(offering.confirm(six, peerNode), undefined)
  assert.ok(narrow().likes(six.replace('s=-\r\nc=IN IP6 2001:db8::7', 's=-\r\nc=IN IP6 ::')), 'who holds us has no address')
  assert.ok(narrow().likes(`${six}c=IN IP4 198.51.100.7\r\n`), 'the line has one of its own')
  assert.ok(side().likes(six))
})

test('sends to the SDP address unless it is unreachable, and accepts that and the signalling address', () => {
  const place = (address: string, seen: string | undefined, farEnd?: FarEnd) => {
    const session = new RtpMediaSession({ codecs: ['PCMA'], address: '192.0.2.1', farEnd })
    const line = session.answer(sdp({ lines: pcma, address }), 20_000, seen)?.agreed.settings
    return line && [line.remote.address, ...line.alsoFrom].join(' ')
  }
  assert.equal(place('192.168.1.5', '198.51.100.7'), '198.51.100.7 192.168.1.5')
  assert.equal(place('127.0.0.1', '198.51.100.7'), '198.51.100.7 127.0.0.1')
  assert.equal(place('phone.example', '198.51.100.7'), '198.51.100.7')
  assert.equal(place('192.168.1.5', '192.168.1.1'), '192.168.1.5 192.168.1.1')
  assert.equal(place('192.168.1.5', '127.0.0.1'), '192.168.1.5 127.0.0.1', 'a softphone on this machine')
  assert.equal(place('203.0.113.9', '198.51.100.7'), '203.0.113.9 198.51.100.7', 'a media server of the carrier')
  assert.equal(place('198.51.100.7', '198.51.100.7'), '198.51.100.7')
  const carrier = { mediaAddresses: ['203.0.113.0/24', '198.51.100.7'] }
  assert.equal(place('198.51.100.9', '198.51.100.7', carrier), '198.51.100.9 198.51.100.7 203.0.113.0/24')
  const registered = { origin: '203.0.113.4' }
  assert.equal(place('10.0.0.5', undefined, registered), '203.0.113.4 10.0.0.5', 'a proxy does not say who answers')
  assert.equal(place('10.0.0.5', '203.0.113.5', registered), '203.0.113.5 10.0.0.5 203.0.113.4', 'it has moved since')
  assert.equal(place('10.0.0.5', undefined), '10.0.0.5')
  assert.equal(place('127.0.0.1', undefined), '0.0.0.0 127.0.0.1', 'nothing is sent to this machine because somebody says so')
})

test('accepts sound from every address of this machine when the signalling comes from one of them', () => {
  const own = ['192.168.1.5', '203.0.113.5', '127.0.0.1']
  const sameHost = (address: string) => (own.includes(address) ? own : [])
  const place = (address: string, seen: string | undefined, farEnd?: FarEnd) => {
    const session = new RtpMediaSession({ codecs: ['PCMA'], address: '127.0.0.1', farEnd, sameHost })
    const line = session.answer(sdp({ lines: pcma, address }), 20_000, seen)?.agreed.settings
    return line && { to: line.remote.address, from: new Set([line.remote.address, ...line.alsoFrom]) }
  }
  for (const named of own)
    for (const seen of own) assert.deepEqual(place(named, seen), { to: named, from: new Set(own) }, `SDP ${named}, SIP ${seen}`)
  assert.deepEqual(place('192.168.1.5', undefined, { origin: '127.0.0.1' }), { to: '192.168.1.5', from: new Set(own) })
  assert.deepEqual(place('172.17.0.2', '203.0.113.5')?.from, new Set(['172.17.0.2', ...own]), 'a container of this machine')
})

test('accepts no sound of this machine for a remote phone, whatever its SDP names', () => {
  const own = ['192.168.1.5', '127.0.0.1']
  const sameHost = (address: string) => (own.includes(address) ? own : [])
  for (const named of own) {
    const session = new RtpMediaSession({ codecs: ['PCMA'], address: '192.168.1.5', sameHost })
    const settings = session.answer(sdp({ lines: pcma, address: named }), 20_000, peerNode)?.agreed.settings
    assert.deepEqual([settings?.remote.address, settings?.alsoFrom], [peerNode, [named]])
  }
})

test('ignores an answer that rejects or contradicts our offer', () => {
  const answers = [['m=audio 0 RTP/AVP 8'], ['m=audio 4000 RTP/AVP 18'], ['m=video 4000 RTP/AVP 8'], []]
  for (const lines of answers) {
    const session = side(['PCMA'])
    session.offer(20_000)
    assert.equal(session.confirm(sdp({ lines }), peerNode), undefined)
  }
})

test('rounds odd packet times to supported ones', () => {
  const ptime = (more: string[]) => side().answer(sdp({ lines: [...pcma, ...more] }), 20_000, peerNode)?.agreed.settings.ptimeMs
  assert.equal(ptime([]), 20)
  assert.equal(ptime(['a=ptime:25']), 20)
  assert.equal(ptime(['a=ptime:5']), 10)
  assert.equal(ptime(['a=ptime:500']), 60)
  assert.equal(ptime(['a=ptime:60', 'a=maxptime:40']), 40)
})

test('an encrypted offer has a key per suite, and that of the chosen suite counts', () => {
  const session = side(['PCMA'], true)
  const { protocol, crypto } = audioOf(session.offer(20_000))
  assert.equal(protocol, 'RTP/SAVP')
  assert.deepEqual(
    crypto.map(({ tag, suite }) => `${tag} ${suite}`),
    ['1 AES_CM_128_HMAC_SHA1_80', '2 AES_CM_128_HMAC_SHA1_32'],
  )
  const answer = ['m=audio 4000 RTP/SAVP 8', `a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:${key('r')}`]
  const srtp = session.confirm(sdp({ lines: answer }), peerNode)?.settings.srtp
  assert.equal(srtp?.suite, 'AES_CM_128_HMAC_SHA1_32')
  assert.equal(Buffer.from(srtp.localKey).toString('base64'), crypto[1]?.key)
  const talking = side(['PCMA'], true)
  talking.offer(20_000)
  assert.equal(talking.confirm(sdp({ lines: ['m=audio 4000 RTP/SAVP 8'] }), peerNode), undefined, 'an answer without a key')
})

test('an offer on request has everything again, with the payload types in use', () => {
  const session = side()
  const offer = sdp({ lines: ['m=audio 4000 RTP/AVP 96 97', 'a=rtpmap:96 opus/48000/2', 'a=rtpmap:97 telephone-event/48000'] })
  assert.ok(session.answer(offer, 20_000, peerNode))
  const names = (text: string): string[] => audioOf(text).payloads.map(({ type, encoding }) => `${type} ${encoding}`)
  assert.deepEqual(names(session.offer(20_000)), ['96 opus', '97 telephone-event'], 'what we change ourselves keeps what was agreed')
  assert.deepEqual(names(session.offer(20_000, { everything: true })), [
    '96 opus',
    '9 G722',
    '8 PCMA',
    '0 PCMU',
    '101 telephone-event',
    '97 telephone-event',
  ])
  const taken = side()
  taken.answer(sdp({ lines: ['m=audio 4000 RTP/AVP 8 111', 'a=rtpmap:111 telephone-event/8000'] }), 20_000, peerNode)
  assert.deepEqual(names(taken.offer(20_000, { everything: true })), [
    '9 G722',
    '8 PCMA',
    '0 PCMU',
    '111 telephone-event',
    '110 telephone-event',
  ])
  const agreed = taken.confirm(sdp({ lines: ['m=audio 4000 RTP/AVP 0'] }), peerNode)
  assert.equal(agreed?.settings.codec, 'PCMU')
})

test('resumes encrypted audio on another node with the same key, which is stored sealed', () => {
  const vault = {
    seal: (plain: string) => Buffer.from(plain).toString('hex'),
    open: (sealed: string) => Buffer.from(sealed, 'hex').toString(),
  }
  const options = { codecs: ['PCMA'], address: '192.0.2.1', vault } as const
  const session = new RtpMediaSession(options)
  const offer = sdp({
    lines: ['m=audio 4000 RTP/SAVP 8', `a=crypto:7 AES_CM_128_HMAC_SHA1_32 inline:${key('r')}`, 'm=video 5000 RTP/AVP 99'],
  })
  const ours = audioOf(session.answer(offer, 20_000, peerNode)?.sdp).crypto
  const text = JSON.stringify(session.saved())
  assert.ok(!text.includes(ours[0]?.key ?? '-') && !text.includes(key('r')))
  assert.equal(JSON.stringify(session.saved()), text, 'it is sealed once')
  const resumed = new RtpMediaSession({ ...options, resumed: JSON.parse(text) as SavedRtp })
  const again = resumed.offer(30_000)
  assert.deepEqual(audioOf(again).crypto, ours)
  assert.deepEqual(
    parseSdp(again).media.map(({ kind, port }) => [kind, port]),
    [
      ['audio', 30_000],
      ['video', 0],
    ],
  )
  const answer = sdp({
    lines: ['m=audio 4000 RTP/SAVP 8', `a=crypto:7 AES_CM_128_HMAC_SHA1_32 inline:${key('s')}`, 'm=video 0 RTP/AVP 99'],
  })
  const srtp = resumed.confirm(answer, peerNode)?.settings.srtp
  assert.deepEqual([Buffer.from(srtp?.remoteKey ?? []).toString(), srtp?.joined], ['s'.repeat(30), true])
  assert.equal(new RtpMediaSession({ codecs: ['PCMA'], address: '192.0.2.1' }).saved(), undefined)
})
