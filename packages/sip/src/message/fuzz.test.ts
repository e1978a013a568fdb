// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { parseAuthHeader } from '../digest/digest.ts'
import { respond } from './build.ts'
import { DigestServer } from '../digest/digest-server.ts'
import { StreamFramer } from './framing.ts'
import * as headers from '../grammar/headers.ts'
import { parseVia, parseNameAddr, parseNameAddrs } from '../grammar/headers.ts'
import { type Message, BrokenMessage } from './message.ts'
import { Mutator, xorshift } from '../testing/sip-mutator.ts'
import { parseMessage } from './parse.ts'
import { formatSdp } from '../sdp/sdp.ts'
import { parseSdp } from '../sdp/parse-sdp.ts'
import { SipError } from '../grammar/scan.ts'
import { formatUri, parseUri } from '../grammar/uri.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_115)
/** More than a million in total. */
const rounds = { messages: 550_000, sdp: 200_000, credentials: 150_000, values: 100_000, streams: 30_000 }

const sdp = [
  'v=0',
  'o=- 20 21 IN IP4 192.0.2.1',
  's=-',
  'c=IN IP4 192.0.2.1',
  't=0 0',
  'm=audio 40000 RTP/SAVP 8 96 101',
  'a=rtpmap:96 opus/48000/2',
  'a=fmtp:101 0-16',
  'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:a2V5|2^20|1:4',
  'a=candidate:1 1 UDP 2130706431 192.0.2.7 50000 typ host',
  'a=rtcp:40001 IN IP4 192.0.2.2',
  'a=sendrecv',
  '',
].join('\r\n')

const digest =
  'Digest username="anna", realm="offhook", nonce="x", uri="sip:example.org", response="0123", algorithm=MD5, cnonce="c\\"", qop=auth, nc=00000001'

const invite = [
  'INVITE sip:+49211;x=1@[2001:db8::1]:5060;user=phone SIP/2.0',
  'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1;rport, SIP / 2.0 / TCP b.example',
  'Record-Route: <sip:p1;lr>, <sip:p2;lr>',
  'Max-Forwards: 70',
  'f: "An\\"na, B" <sip:anna%20@example.org;x=y?a=b>;tag=f1',
  'To: Bob',
  ' <sip:bob@example.org>',
  'i: c1@192.0.2.1',
  'CSeq: 1 INVITE',
  'm: <sip:a@192.0.2.1>;q=0.5;+sip.instance="<urn:uuid:1>"',
  'Session-Expires: 1800;refresher=uac',
  `Authorization: ${digest}`,
  'Content-Type: application/sdp',
  `Content-Length: ${sdp.length}`,
  '',
  sdp,
].join('\r\n')

const response = [
  'SIP/2.0 200 OK',
  'v: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1',
  'f: sip:a@b.c;tag=1',
  't: sip:b@b.c;tag=2',
  'i: x',
  'CSeq: 2 BYE',
  'l: 0',
  '',
  '',
].join('\r\n')

const asked = ['via', 'record-route', 'contact', 'from', 'supported', 'authorization']

/** Calls every getter of a message. */
const askForAll = (message: Message): void => {
  for (const name of asked) message.list(name)
  for (const via of message.list('via')) parseVia(via)
  parseNameAddrs(message.lines('record-route'))
  parseUri(message.to.uri)
  parseUri(message.from.uri)
  for (const { uri } of message.contacts) parseUri(uri)
  const credentials = message.header('authorization')
  if (credentials !== undefined) parseAuthHeader(credentials)
  parseSdp(message.body)
}

/** A parsed request can be answered, and the answer can be parsed. */
const answer = (received: Message): void => {
  if (received.kind === 'response') return
  const text = respond(received, 400, { toTag: 'us', source: { address: '2001:db8::9', port: 5061 } })
  try {
    assert.equal((parseMessage(text, { stream: true }) as { status?: number }).status, 400)
  } catch (error) {
    if (!(error instanceof SipError)) throw error
  }
}

const worstMs = 5

/** Runs one input; any error but SipError is a bug. */
const timed = (input: Buffer, round: number, read: () => void): number => {
  const startedAt = performance.now()
  try {
    read()
  } catch (error) {
    if (!(error instanceof SipError)) {
      throw new Error(`seed ${seed}, round ${round}, input (base64) ${input.toString('base64')}`, { cause: error })
    }
  }
  return performance.now() - startedAt
}

const fuzz = (t: TestContext, count: number, samples: readonly string[], read: (input: Buffer, round: number) => void): void => {
  const mutator = new Mutator(samples, xorshift(seed))
  let slowest = 0
  for (let round = 0; round < count; round++) {
    const input = mutator.next()
    const run = (): number => timed(input, round, () => read(input, round))
    let ms = run()
    // Other programs, JIT and GC interrupt some runs but not all; slow input is slow in every run.
    for (let again = 0; ms > worstMs && again < 100; again++) ms = Math.min(ms, run())
    assert.ok(ms <= worstMs, `${ms} ms for input (base64) ${input.toString('base64')}`)
    slowest = Math.max(slowest, ms)
  }
  t.diagnostic(`seed ${seed}: ${count} inputs, slowest ${slowest.toFixed(2)} ms`)
}

test('survives mutated messages', (t) => {
  fuzz(t, rounds.messages, [invite, response, response], (input, round) => {
    try {
      const message = parseMessage(input)
      if (round % 4 === 0) askForAll(message)
      if (round % 16 === 0) answer(message)
    } catch (error) {
      if (error instanceof BrokenMessage && error.received !== undefined && round % 8 === 0) answer(error.received)
      throw error
    }
  })
})

test('survives mutated session descriptions', (t) => {
  fuzz(t, rounds.sdp, [sdp], (input, round) => {
    const parsed = parseSdp(input)
    if (round % 8 === 0) parseSdp(formatSdp(parsed))
  })
})

test('survives mutated credentials', (t) => {
  const server = new DigestServer({ realm: 'offhook', key: Buffer.alloc(32, 1), now: () => 1 })
  fuzz(t, rounds.credentials, [digest], (input, round) => {
    const claim = server.claim([input.toString()])
    if (claim !== undefined && round % 8 === 0) {
      assert.notEqual(server.check(claim, { method: 'REGISTER', uri: 'sip:example.org' }, { password: 'p' }), 'right')
    }
  })
})

test('survives mutated values', (t) => {
  const readers = [
    parseNameAddr,
    (text: string) => formatUri(parseUri(text)),
    parseVia,
    headers.parseSessionExpires,
    headers.parseReplaces,
    headers.parseRAck,
    headers.parseReason,
    headers.parseRetryAfter,
    headers.parsePrivacy,
  ]
  const samples = [
    '"A" <sip:a%41@b.org:5060;lr?x=y>;tag=1',
    'sips:a;b:c@[::1]:5;x=%20?y=z',
    'SIP/2.0/UDP h:1;branch=x',
    'x@y;to-tag=1;from-tag=2',
    '1 2 INVITE',
  ]
  fuzz(t, rounds.values, samples, (input, round) => void readers[round % readers.length]!(input.toString()))
})

test('splits mutated streams the same for any chunk boundaries', (t) => {
  const random = xorshift(seed + 1)
  const frame = (input: Buffer, maxBytes: number) => {
    const framer = new StreamFramer()
    const out = { messages: '', pings: 0, status: 0 }
    for (let at = 0, size = 0; at < input.length; at += size) {
      size = 1 + (random() % maxBytes)
      const { messages, pings, broken } = framer.feed(input.subarray(at, at + size))
      for (const message of messages) out.messages += `${message.toString('latin1')}|`
      out.pings += pings
      out.status ||= broken?.status ?? 0
    }
    return out
  }
  fuzz(t, rounds.streams, [`${response}\r\n\r\n${invite}${response}`], (input) => {
    assert.deepEqual(frame(input, 400), frame(input, 4000))
  })
})

test('runs more than a million inputs', () => {
  assert.ok(Object.values(rounds).reduce((sum, count) => sum + count) >= 1_000_000)
})
