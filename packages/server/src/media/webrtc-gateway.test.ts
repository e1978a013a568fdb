import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openBrowser, withoutAddresses } from '../../../../test/support/browser-peer.ts'
import { startTestMedia, watch } from '../../../../test/support/media-call.ts'
import type { LineSettings, MediaStream } from './engine.ts'
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

const lineTo = (remote: { address: string; port: number }): LineSettings => ({
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

test('a browser calls: its audio reaches a stream, and the stream’s audio the browser', async (t) => {
  const gateway = start(t)
  const media = startTestMedia(t)
  const { observer, told } = watch()
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
  await told('heard')
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

test('a browser is called, and its name for its own address is not looked up', async (t) => {
  const gateway = start(t)
  const media = startTestMedia(t)
  const { observer, told } = watch()
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
  await told('heard')
  await browser.hears(900)
  browser.connection.close()
})

test('what cannot be answered is refused, and others are not disturbed', async (t) => {
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

test('behind a router the outside address is offered too', async (t) => {
  const gateway = startWebRtc({ mediaAddress: '0.0.0.0', publicAddress: '198.51.100.7', ports: { first: 40_000, last: 40_999 } })
  t.after(() => gateway.close())
  const { offer, relay } = await gateway.offer({ formats, direction: 'sendrecv', streamPort: 20_000 })
  assert.equal(relay.address, '127.0.0.1')
  const ports = [...offer.matchAll(/^a=candidate:\S+ 1 UDP \d+ \S+ (\d+) typ host/gm)].map(([, port]) => Number(port))
  assert.ok(ports.length > 0 && ports.every((port) => port >= 40_000 && port <= 40_999), offer)
  if (/UDP \d+ (?!127\.|198\.51)\d+\.\d+\.\d+\.\d+ \d+ typ host/.test(offer))
    assert.match(offer, /^a=candidate:9\S* 1 UDP \d+ 198\.51\.100\.7 \d+ typ host/m)
})

test('a signal to all processes of the service ends no call of a browser: the process ends with its parent', async () => {
  const child = fork(join(import.meta.dirname, 'webrtc-process.ts'), ['{}'], { serialization: 'advanced' })
  await once(child, 'message') // it is ready
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  child.kill('SIGTERM')
  child.disconnect()
  assert.deepEqual(await ended, [0, null])
})
