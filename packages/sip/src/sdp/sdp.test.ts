import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits, SipError } from '../grammar/scan.ts'
import { formatSdp, makeMedia, type Sdp } from './sdp.ts'
import { parseSdp, plainPayload } from './parse-sdp.ts'

const lines = (...all: string[]): string => all.map((line) => `${line}\r\n`).join('')
const head = ['v=0', 'o=- 20 21 IN IP4 192.0.2.1', 's=-', 'c=IN IP4 192.0.2.1', 't=0 0']
const audio = (...attributes: string[]) => parseSdp(lines(...head, 'm=audio 40000 RTP/AVP 8', ...attributes)).media[0]!

test("parses a phone's offer", () => {
  const sdp = parseSdp(
    lines(
      ...head,
      'm=audio 40000 RTP/AVP 96 8 101 77',
      'a=rtpmap:96 opus/48000/2',
      'a=fmtp:96 useinbandfec=1;minptime=10',
      'a=rtpmap:101 telephone-event/8000',
      'a=fmtp:101 0-16',
      'a=ptime:20',
      'a=maxptime:150',
      'a=sendonly',
      'a=rtcp:40001 IN IP4 192.0.2.2',
      'a=ssrc:1 cname:x',
      'a=rtpmap:55 ghost/8000',
    ),
  )
  assert.deepEqual(sdp.origin, { username: '-', sessionId: '20', version: '21', family: 'IP4', address: '192.0.2.1' })
  const [media] = sdp.media
  assert.deepEqual(media?.payloads, [
    { type: 96, encoding: 'opus', clockRate: 48000, channels: 2, fmtp: 'useinbandfec=1;minptime=10' },
    { type: 8, encoding: 'PCMA', clockRate: 8000, channels: 1, fmtp: undefined },
    { type: 101, encoding: 'telephone-event', clockRate: 8000, channels: 1, fmtp: '0-16' },
    { type: 77, encoding: '', clockRate: 0, channels: 1, fmtp: undefined },
  ])
  assert.deepEqual([media?.kind, media?.port, media?.protocol, media?.ptime, media?.maxptime], ['audio', 40000, 'RTP/AVP', 20, 150])
  assert.equal(media?.direction, 'sendonly')
  assert.deepEqual(media?.rtcp, { port: 40001, connection: { family: 'IP4', address: '192.0.2.2' } })
  assert.deepEqual(media?.attributes, [
    { name: 'ssrc', value: '1 cname:x' },
    { name: 'rtpmap', value: '55 ghost/8000' },
  ])
})

test("parses a browser's offer", () => {
  const sdp = parseSdp(
    lines(
      'v=0',
      'o=- 4611731400430051336 2 IN IP4 127.0.0.1',
      's=-',
      't=0 0',
      'a=group:BUNDLE 0',
      'a=ice-lite',
      'a=ice-ufrag:sess',
      'a=ice-pwd:sessionpassword',
      'a=fingerprint:SHA-256 AA:BB',
      'a=setup:actpass',
      'a=recvonly',
      'm=audio 9 UDP/TLS/RTP/SAVPF 111 0',
      'c=IN IP6 2001:db8::1',
      'a=rtcp:9 IN IP4 0.0.0.0',
      'a=candidate:1 1 UDP 2130706431 192.0.2.7 50000 typ host generation 0 network-id 1',
      'a=ice-ufrag:own',
      'a=ice-pwd:ownpassword',
      'a=mid:0',
      'a=rtcp-mux',
      'a=rtpmap:111 opus/48000/2',
      'm=application 0 UDP/DTLS/SCTP webrtc-datachannel',
    ),
  )
  assert.equal(sdp.iceLite, true)
  assert.deepEqual(sdp.attributes, [{ name: 'group', value: 'BUNDLE 0' }])
  const [voice, data] = sdp.media
  assert.deepEqual(voice?.ice, { ufrag: 'own', password: 'ownpassword' })
  assert.deepEqual(data?.ice, { ufrag: 'sess', password: 'sessionpassword' }, 'what the session says is in each media')
  assert.deepEqual(voice?.fingerprints, [{ hash: 'sha-256', value: 'AA:BB' }])
  assert.deepEqual([voice?.setup, voice?.direction, voice?.mid, voice?.rtcpMux], ['actpass', 'recvonly', '0', true])
  assert.deepEqual(voice?.connection, { family: 'IP6', address: '2001:db8::1' })
  assert.deepEqual(voice?.candidates, [
    {
      foundation: '1',
      component: 1,
      protocol: 'udp',
      priority: 2130706431,
      address: '192.0.2.7',
      port: 50000,
      type: 'host',
      extensions: 'generation 0 network-id 1',
    },
  ])
  assert.deepEqual([data?.formats, data?.payloads, data?.port], [['webrtc-datachannel'], [], 0])
})

test('parses SRTP keys', () => {
  const { crypto, attributes } = audio(
    'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:a2V5|2^20|1:4 UNENCRYPTED_SRTCP KDR=1',
    'a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:b3Ro',
    'a=crypto:3 X inline:a;inline:b',
    'a=crypto:x AES_CM_128_HMAC_SHA1_32 inline:b3Ro',
    'a=crypto:4 AES_CM_128_HMAC_SHA1_32 clear:b3Ro',
    'a=crypto:5 AES_CM_128_HMAC_SHA1_32 inline:|2^20',
  )
  assert.deepEqual(crypto, [
    { tag: 1, suite: 'AES_CM_128_HMAC_SHA1_80', key: 'a2V5', keyOptions: '2^20|1:4', sessionParams: ['UNENCRYPTED_SRTCP', 'KDR=1'] },
    { tag: 2, suite: 'AES_CM_128_HMAC_SHA1_32', key: 'b3Ro', keyOptions: undefined, sessionParams: [] },
  ])
  assert.equal(attributes.length, 4, 'those which cannot be read are kept as they are')
})

test('keeps malformed attributes as unknown', () => {
  const odd = [
    'a=rtpmap:8',
    'a=rtpmap:x PCMA/8000',
    'a=rtpmap:8 PCMA',
    'a=rtpmap:8 /8000',
    'a=fmtp:8',
    'a=ptime:fast',
    'a=ptime:',
    'a=setup:maybe',
    'a=fingerprint:sha-1',
    'a=candidate:1 1 udp x 192.0.2.1 9 typ host',
    'a=candidate:1 1 udp 1 192.0.2.1 9 host',
    'a=rtcp:many',
    'a=__proto__:x',
    'a=constructor',
    'a=',
  ]
  const media = audio(...odd)
  assert.equal(media.attributes.length, odd.length)
  assert.deepEqual(media.payloads, [plainPayload(8)])
})

test('tolerates common mistakes of real senders', () => {
  const loose = 'v=0\no=x 1 1 IN IP4 h\nc=in ip4 192.0.2.1/127\nm=AUDIO 40000/2 RTP/AVP 0 0\na=rtpmap:0 PC'
  const sdp = parseSdp(loose)
  assert.deepEqual([sdp.name, sdp.media[0]?.kind, sdp.media[0]?.port, sdp.media[0]?.payloads.length], ['-', 'audio', 40000, 1])
  assert.deepEqual(sdp.connection, { family: 'IP4', address: '192.0.2.1' })
  assert.equal(parseSdp(`${lines(...head)}a`).media.length, 0, 'a last line that was cut off')
  assert.equal(parseSdp(lines(...head, '', 'm=audio 0 RTP/AVP 0')).media[0]?.port, 0)
  assert.deepEqual(parseSdp(Buffer.from(lines(...head))), parseSdp(lines(...head)), 'bytes and text')
})

test('rejects malformed SDP with 400', () => {
  for (const text of [
    '',
    'v=1\r\n',
    'x',
    'v=0',
    lines('v=0'),
    lines('v=0', 'o=- 1 1'),
    lines('v=0', 'o=- 1 1 IN IP5 x'),
    lines(...head, 'nonsense'),
    lines(...head, 'c=IN IP4', 'm=audio 1 RTP/AVP 0').replace('c=IN IP4 192.0.2.1\r\n', ''),
    lines(...head, 'm=audio'),
    lines(...head, 'm=audio x RTP/AVP 0'),
    lines(...head, 'm=audio 65536 RTP/AVP 0'),
    lines(...head, 'm=audio 1'),
    lines(...head, 'm=audio 1 RTP/AVP 128'),
    lines(...head, 'm=audio 1 RTP/AVP PCMA'),
  ]) {
    assert.throws(
      () => parseSdp(text),
      (error) => error instanceof SipError && error.status === 400,
      JSON.stringify(text),
    )
  }
})

test('enforces the limits of length and media lines', () => {
  const status = (text: string): number => {
    try {
      return parseSdp(text) && 200
    } catch (error) {
      assert.ok(error instanceof SipError)
      return error.status
    }
  }
  const padded = (length: number): string => `${lines(...head)}a=x:`.padEnd(length, 'x')
  assert.equal(status(padded(limits.sdpBytes)), 200)
  assert.equal(status(padded(limits.sdpBytes + 1)), 413)
  assert.equal(status(padded(limits.sdpBytes * 100)), 413)
  const media = (count: number): string => lines(...head, ...Array.from({ length: count }, () => 'm=x 0 y z'))
  assert.equal(status(media(limits.mediaLines)), 200)
  assert.equal(status(media(limits.mediaLines + 1)), 488)
  assert.equal(status(media(limits.mediaLines * 100)), 488)
})

test('formats SDP that parses back unchanged', () => {
  const sdp: Sdp = {
    origin: { username: '-', sessionId: '1', version: '2', family: 'IP4', address: '192.0.2.1' },
    name: 'call',
    connection: { family: 'IP4', address: '192.0.2.1' },
    iceLite: true,
    attributes: [{ name: 'group', value: 'BUNDLE 0' }],
    media: [
      makeMedia({
        kind: 'audio',
        port: 40000,
        protocol: 'RTP/SAVP',
        connection: { family: 'IP4', address: '192.0.2.1' },
        payloads: [
          plainPayload(8),
          { type: 96, encoding: 'opus', clockRate: 48000, channels: 2, fmtp: 'useinbandfec=1' },
          { type: 101, encoding: 'telephone-event', clockRate: 8000, channels: 1, fmtp: '0-16' },
        ],
        ptime: 20,
        maxptime: 60,
        direction: 'inactive',
        mid: '0',
        rtcpMux: true,
        rtcp: { port: 40001, connection: undefined },
        crypto: [{ tag: 1, suite: 'AES_CM_128_HMAC_SHA1_80', key: 'a2V5', keyOptions: '2^31', sessionParams: ['KDR=0'] }],
        fingerprints: [{ hash: 'sha-256', value: 'AA:BB' }],
        setup: 'passive',
        ice: { ufrag: 'u', password: 'p' },
        candidates: [
          { foundation: '1', component: 1, protocol: 'udp', priority: 1, address: '192.0.2.1', port: 40000, type: 'host', extensions: '' },
          {
            foundation: '2',
            component: 1,
            protocol: 'udp',
            priority: 2,
            address: '192.0.2.2',
            port: 1,
            type: 'srflx',
            extensions: 'raddr x',
          },
        ],
        attributes: [
          { name: 'x', value: undefined },
          { name: 'ssrc', value: '1 cname:x' },
        ],
      }),
      makeMedia({
        kind: 'image',
        port: 0,
        protocol: 'udptl',
        formats: ['t38'],
        connection: { family: 'IP6', address: '2001:db8::1' },
      }),
    ],
  }
  const text = formatSdp(sdp)
  assert.deepEqual(parseSdp(text), sdp)
  assert.equal(text.match(/^c=/gm)?.length, 2, 'an address that the session gives is not said again')
  assert.ok(text.endsWith('\r\n'))
})

test('formats a payload without a name without rtpmap', () => {
  const text = lines(...head, 'm=audio 0 RTP/AVP 77')
  assert.ok(!formatSdp(parseSdp(text)).includes('rtpmap'))
})

test('rejects line injection through values', () => {
  const sdp = parseSdp(lines(...head))
  assert.throws(() => formatSdp({ ...sdp, name: 'x\r\nm=audio 1 RTP/AVP 0' }), SipError)
  assert.throws(() => formatSdp({ ...sdp, attributes: [{ name: 'x', value: 'y\nz' }] }), SipError)
})
