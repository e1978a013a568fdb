import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CodecName } from '#media/engine.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import { FaxNegotiation } from './fax-negotiation.ts'

const side = (codecs: CodecName[] = ['opus', 'G722', 'PCMA', 'PCMU']) => new FaxNegotiation({ codecs, address: '192.0.2.1' })
const farEnd = '198.51.100.7'

const sdp = (lines: string[], address = '198.51.100.7'): string =>
  ['v=0', `o=- 1 1 IN IP4 ${address}`, 's=-', `c=IN IP4 ${address}`, 't=0 0', ...lines, ''].join('\r\n')

const pcma = ['m=audio 4000 RTP/AVP 8 0 101', 'a=rtpmap:101 telephone-event/8000']
const t38 = ['m=image 5000 udptl t38', 'a=T38FaxVersion:0', 'a=T38FaxRateManagement:transferredTCF', 'a=T38FaxUdpEC:t38UDPRedundancy']
const remote = { address: '198.51.100.7', port: 5000 }

const linesOf = (text: string | undefined): string[] =>
  parseSdp(text ?? '').media.map(({ kind, port, protocol }) => `${kind} ${port} ${protocol}`)
const attributesOf = (text: string | undefined): string[] =>
  parseSdp(text ?? '').media.flatMap(({ attributes }) => attributes.map(({ name, value }) => `${name}:${value}`))

test('offers audio with modem-safe codecs and without keys, preferred by the trunk first', () => {
  const encodings = (codecs?: CodecName[]) =>
    parseSdp(side(codecs).offer('audio', 20_000)).media[0]?.payloads.map(({ encoding }) => encoding)
  assert.deepEqual(encodings(), ['PCMA', 'PCMU'])
  assert.deepEqual(encodings(['PCMU', 'PCMA']), ['PCMU', 'PCMA'])
  assert.deepEqual(encodings(['PCMU']), ['PCMU'])
  assert.deepEqual(encodings(['G722']), ['PCMA', 'PCMU'])
})

test('switches from audio to T.38 in the same line with the next version, and back', () => {
  const session = side()
  const first = session.offer('audio', 20_000)
  assert.deepEqual(session.confirm(sdp(pcma), farEnd), {
    by: 'audio',
    remote: { address: '198.51.100.7', port: 4000 },
    alsoFrom: [],
    codec: 'PCMA',
    payloadType: 8,
  })
  const answer = session.answer(sdp(t38), 20_000, farEnd)
  assert.deepEqual(linesOf(answer?.sdp), ['image 20000 udptl'])
  assert.deepEqual(answer?.way, {
    by: 't38',
    remote,
    alsoFrom: [],
    maxBitRate: 14_400,
    maxDatagram: 400,
    rateManagement: 'transferredTCF',
    errorRecovery: 'redundancy',
  })
  const [before, after] = [parseSdp(first).origin, parseSdp(answer.sdp).origin]
  assert.deepEqual([after.sessionId, Number(after.version)], [before.sessionId, Number(before.version) + 1])
  assert.equal(session.answer(sdp(t38), 20_000, farEnd)?.sdp, answer.sdp, 'a refresh changes nothing')
  assert.deepEqual(linesOf(session.answer(sdp(pcma), 20_000, farEnd)?.sdp), ['audio 20000 RTP/AVP'])
  assert.equal(session.way?.by, 'audio')
})

test("answers within the far end's T.38 parameters in every spelling, and ignores implausible ones", () => {
  const said = ['m=image 5000 UDPTL T38', 'a=T38MaxBitRate:9600', 'a=t38faxmaxdatagram: 200', 'a=T38FaxRateManagement:localTCF']
  const answer = side().answer(sdp([...said, 'a=T38FaxUdpEC:t38UDPNoEC', 'a=T38FaxFillBitRemoval:0']), 20_000, farEnd)
  assert.deepEqual(attributesOf(answer?.sdp), [
    'T38FaxVersion:0',
    'T38MaxBitRate:9600',
    'T38FaxRateManagement:localTCF',
    'T38FaxMaxBuffer:1800',
    'T38FaxMaxDatagram:512',
    'T38FaxUdpEC:t38UDPNoEC',
  ])
  assert.deepEqual(answer?.way, {
    by: 't38',
    remote,
    alsoFrom: [],
    maxBitRate: 9_600,
    maxDatagram: 200,
    rateManagement: 'localTCF',
    errorRecovery: 'none',
  })
  const nonsense = ['a=T38MaxBitRate:x', 'a=T38FaxMaxDatagram:72', 'a=T38FaxUdpEC:t38UDPFEC', 'a=T38FaxVersion', 'a=T38FaxMaxBuffer:-1']
  const { way } = side().answer(sdp(['m=image 5000 udptl t38', ...nonsense]), 20_000, farEnd) ?? {}
  assert.deepEqual(way, {
    ...answer.way,
    maxBitRate: 14_400,
    maxDatagram: 400,
    rateManagement: 'transferredTCF',
    errorRecovery: 'redundancy',
  })
})

test('accepts T.38 of several lines and rejects the others; while pages are under way, only the current transport', () => {
  const both = sdp([...pcma, ...t38, 'm=video 6000 RTP/AVP 96'])
  const session = side()
  assert.deepEqual(linesOf(session.answer(both, 20_000, farEnd)?.sdp), ['audio 0 RTP/AVP', 'image 20000 udptl', 'video 0 RTP/AVP'])
  assert.deepEqual(linesOf(session.offer('t38', 20_000)), ['audio 0 RTP/AVP', 'image 20000 udptl', 'video 0 RTP/AVP'])
  assert.deepEqual(linesOf(session.offer('audio', 20_000)), ['audio 0 RTP/AVP', 'audio 20000 RTP/AVP', 'video 0 RTP/AVP'])
  const busy = side()
  busy.answer(sdp(pcma), 20_000, farEnd)
  assert.equal(busy.answer(sdp(t38), 20_000, farEnd, 'audio'), undefined)
  assert.deepEqual([busy.way?.by, busy.answer(both, 20_000, farEnd, 'audio')?.way.by], ['audio', 'audio'])
})

test('understands gateways that add a T.38 line instead of changing theirs', () => {
  const session = side()
  session.offer('audio', 20_000)
  session.confirm(sdp(pcma), farEnd)
  const answer = session.answer(sdp(['m=audio 0 RTP/AVP 8', ...t38]), 20_000, farEnd)
  assert.deepEqual(linesOf(answer?.sdp), ['audio 0 RTP/AVP', 'image 20000 udptl'])
})

test('rejects formats that only one side supports', () => {
  for (const lines of [
    ['m=audio 4000 RTP/AVP 9 18'],
    ['m=audio 0 RTP/AVP 8'],
    ['m=audio 4000 RTP/SAVP 8'],
    ['m=image 0 udptl t38'],
    ['m=image 5000 tcp t38'],
    ['m=image 5000 udptl png'],
    [],
  ]) {
    assert.equal(side().answer(sdp(lines), 20_000, farEnd), undefined, lines.join())
    assert.equal(side().likes(sdp(lines)), false)
  }
  assert.ok(side().likes(sdp(t38)) && side().likes(sdp(pcma)))
  assert.equal(side().answer('nonsense', 20_000, farEnd), undefined)
  assert.equal(side().answer(sdp(t38, '0.0.0.0'), 20_000, farEnd), undefined, 'nobody is on hold before it began')
  const session = side()
  session.offer('audio', 20_000)
  session.confirm(sdp(pcma), farEnd)
  session.offer('t38', 20_000)
  assert.equal(session.confirm(sdp(['m=image 0 udptl t38']), farEnd), undefined)
  assert.equal(session.way?.by, 'audio')
})

test('keeps the address on hold and answers accordingly', () => {
  const session = side()
  session.answer(sdp(pcma), 20_000, farEnd)
  const directions = (lines: string[], address?: string) => {
    const { sdp: text = '', way } = session.answer(sdp(lines, address), 20_000, farEnd) ?? {}
    return [parseSdp(text).media[0]?.direction, way?.remote.address]
  }
  assert.deepEqual(directions([...pcma, 'a=sendonly']), ['recvonly', '198.51.100.7'])
  assert.deepEqual(directions([...pcma, 'a=recvonly']), ['sendonly', '198.51.100.7'])
  assert.deepEqual(directions([...pcma, 'a=inactive']), ['inactive', '198.51.100.7'])
  assert.deepEqual(directions(pcma, '0.0.0.0'), ['recvonly', '198.51.100.7'])
  assert.deepEqual(directions(pcma), ['sendrecv', '198.51.100.7'])
})

test('finds a machine behind NAT at the source of its signalling', () => {
  const way = side().answer(sdp(t38, '192.168.1.5'), 20_000, farEnd)?.way
  assert.deepEqual([way?.remote, way?.alsoFrom], [{ address: '198.51.100.7', port: 5000 }, ['192.168.1.5']])
})
