// test: own process, real time
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openBrowser, withoutAddresses } from '#test/phones/browser-peer.ts'
import { startTestMedia, watch } from '#test/phones/media-call.ts'
import type { StreamSettings, MediaStream } from '../engine.ts'
import { startWebRtc, WebRtcRefused, type PeerSettings, type WebRtcGateway } from './webrtc-gateway.ts'

const formats = [
  { payloadType: 8, encoding: 'PCMA/8000' },
  { payloadType: 101, encoding: 'telephone-event/8000', parameters: '0-15' },
]

const start = (t: TestContext): WebRtcGateway => {
  const gateway = startWebRtc({ mediaAddress: '127.0.0.1', bindAddress: '127.0.0.1' })
  t.after(() => gateway.close())
  return gateway
}

const settingsFor = (stream: MediaStream): PeerSettings => ({ formats, direction: 'sendrecv', streamPort: stream.localPort })

const lineTo = (remote: { address: string; port: number }): StreamSettings => ({
  remote,
  codec: 'PCMA',
  payloadType: 8,
  dtmfPayloadType: 101,
  ptimeMs: 20,
  send: true,
  receive: true,
  srtp: undefined,
  alsoFrom: [],
})

test("answers a browser's call with audio in both directions", async (t) => {
  const gateway = start(t)
  const media = startTestMedia(t)
  const { observer, onEvent: notifications } = watch()
  const stream = await media.openStream(observer)
  const browser = openBrowser(t, formats)
  const leg = await gateway.answer(withoutAddresses(await browser.describe('offer')), settingsFor(stream))
  assert.match(leg.answer, /a=rtpmap:8 PCMA\/8000/)
  assert.match(leg.answer, /a=sendrecv/)
  assert.match(leg.answer, /a=candidate:/)
  stream.configure(lineTo(leg.relay))
  stream.echo(true)
  browser.connection.setRemoteDescription(leg.answer, 'answer')
  await leg.connected
  browser.talk(600)
  await notifications('heard')
  await browser.hears(600)
  const again = leg.describeAgain('sendonly', browser.connection.localDescription()?.sdp)
  assert.match(again, /^o=\S+ \S+ 1 /m)
  assert.match(again, /^a=sendonly\r$/m)
  assert.match(again, /^a=setup:active\r$/m)
  assert.match(leg.describeAgain('sendrecv'), /^a=setup:actpass\r$/m)
  assert.throws(
    () => leg.describeAgain('sendrecv', openBrowser(t, formats).connection.localDescription()?.sdp ?? 'a=ice-ufrag:other'),
    WebRtcRefused,
  )
  leg.close()
  await leg.ended
})

test('calls a browser, and does not resolve its mDNS name', async (t) => {
  const gateway = start(t)
  const media = startTestMedia(t)
  const { observer, onEvent: notifications } = watch()
  const stream = await media.openStream(observer)
  const browser = openBrowser(t, formats)
  const leg = await gateway.offer(settingsFor(stream))
  browser.connection.setRemoteDescription(withoutAddresses(leg.offer), 'offer')
  stream.configure(lineTo(leg.relay))
  stream.echo(true)
  const answer = (await browser.describe('answer')).replace(
    /^(a=candidate:\S+ 1 UDP \d+) 127\.0\.0\.1 (.*)\r$/m,
    '$1 7a0e-41.local $2\r\n$&',
  )
  assert.match(answer, /\.local/)
  await leg.accept(answer)
  await leg.connected
  browser.talk(900)
  await notifications('heard')
  await browser.hears(900)
  browser.connection.close()
})

test('rejects unusable offers without affecting others', async (t) => {
  const gateway = start(t)
  const media = startTestMedia(t)
  const stream = await media.openStream(watch().observer)
  await assert.rejects(gateway.answer('', settingsFor(stream)), WebRtcRefused)
  const plain = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8\r\nc=IN IP4 127.0.0.1\r\n'
  await assert.rejects(gateway.answer(plain, settingsFor(stream)), /ice-ufrag/)
  const garbage = `${plain}a=ice-ufrag:x\r\na=ice-pwd:y\r\na=fingerprint:sha-256 zz\r\n`
  await assert.rejects(gateway.answer(garbage, settingsFor(stream)), WebRtcRefused)
  const browser = openBrowser(t, formats)
  const leg = await gateway.answer(await browser.describe('offer'), settingsFor(stream))
  assert.match(leg.answer, /^v=0/)
})

/** An offer of pjsua with ICE and DTLS-SRTP: profile without feedback, separate RTP and RTCP, no bundle, no trickle. */
const phoneOffer = (fingerprint: string): string =>
  [
    'v=0',
    'o=- 3985283412 3985283412 IN IP4 192.0.2.10',
    's=pjmedia',
    'b=AS:84',
    't=0 0',
    'a=X-nat:0',
    'm=audio 4000 UDP/TLS/RTP/SAVP 8 101',
    'c=IN IP4 192.0.2.10',
    'b=TIAS:64000',
    'a=rtcp:4001 IN IP4 192.0.2.10',
    'a=sendrecv',
    'a=rtpmap:8 PCMA/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-16',
    'a=ssrc:1362814911 cname:71b2d4ab3f1f8f1e',
    'a=ice-ufrag:3d4a1b0c',
    'a=ice-pwd:6f2d71c35b7e4a0f9e1d2c3b',
    'a=candidate:Hc0a80001 1 UDP 2130706431 192.0.2.10 4000 typ host',
    'a=candidate:Hc0a80001 2 UDP 2130706430 192.0.2.10 4001 typ host',
    'a=setup:actpass',
    `a=fingerprint:sha-256 ${fingerprint}`,
    '',
  ].join('\r\n')

test('the answer keeps the profile of the offer and adds no unoffered attributes', async (t) => {
  const gateway = start(t)
  const stream = await startTestMedia(t).openStream(watch().observer)
  const offer = phoneOffer(Array.from({ length: 32 }, () => 'AB').join(':'))
  const { answer } = await gateway.answer(offer, settingsFor(stream))
  assert.match(answer, /^m=audio \d+ UDP\/TLS\/RTP\/SAVP 8 101\r$/m)
  for (const needed of ['fingerprint', 'setup:active', 'ice-ufrag', 'ice-pwd', 'candidate'])
    assert.match(answer, new RegExp(`^a=${needed}`, 'm'))
  assert.doesNotMatch(answer, /rtcp-mux|a=group|trickle|a=mid|msid/)

  const { answer: toBrowser } = await gateway.answer(await openBrowser(t, formats).describe('offer'), settingsFor(stream))
  for (const kept of ['m=audio \\d+ UDP/TLS/RTP/SAVPF', 'a=rtcp-mux', 'a=group:BUNDLE 0', 'a=mid:0', 'a=ice-options:.*trickle'])
    assert.match(toBrowser, new RegExp(`^${kept}`, 'm'))
})

test('offers the public address behind a router', async (t) => {
  const gateway = startWebRtc({ mediaAddress: '0.0.0.0', publicAddress: '198.51.100.7', ports: { first: 40_000, last: 40_999 } })
  t.after(() => gateway.close())
  const { offer, relay } = await gateway.offer({ formats, direction: 'sendrecv', streamPort: 20_000 })
  assert.equal(relay.address, '127.0.0.1')
  const ports = [...offer.matchAll(/^a=candidate:\S+ 1 UDP \d+ \S+ (\d+) typ host/gm)].map(([, port]) => Number(port))
  assert.ok(ports.length > 0 && ports.every((port) => port >= 40_000 && port <= 40_999), offer)
  if (/UDP \d+ (?!127\.|198\.51)\d+\.\d+\.\d+\.\d+ \d+ typ host/.test(offer))
    assert.match(offer, /^a=candidate:9\S* 1 UDP \d+ 198\.51\.100\.7 \d+ typ host/m)
})

test('a dying process ends its connections and reports it; the next connection gets a new process', async (t) => {
  const pids: number[] = []
  const died = Promise.withResolvers<string>()
  const gateway = startWebRtc({
    mediaAddress: '127.0.0.1',
    processStarted: (pid) => void pids.push(pid),
    processDied: died.resolve,
  })
  t.after(() => gateway.close())
  const settings: PeerSettings = { formats, direction: 'sendrecv', streamPort: 20_000 }
  const leg = await gateway.offer(settings)
  process.kill(pids[0] ?? 0, 'SIGKILL')
  await leg.ended
  assert.equal(await died.promise, 'it ended with SIGKILL')
  assert.match((await gateway.offer(settings)).offer, /^v=0/)
  assert.equal(pids.length, 2)
})

test('a signal to all processes ends no browser call: the process ends with its parent', async () => {
  const child = fork(join(import.meta.dirname, 'webrtc-process.ts'), ['{}'], { serialization: 'advanced' })
  await once(child, 'message') // it is ready
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  child.kill('SIGTERM')
  child.disconnect()
  assert.deepEqual(await ended, [0, null])
})
