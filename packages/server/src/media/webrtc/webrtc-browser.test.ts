// test: calls
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage } from '#test/machine/chromium.ts'
import { listenFor, makeOffer } from '#test/phones/chromium-peer.ts'
import { startTestMedia, watch } from '#test/phones/media-call.ts'
import { needs } from '#test/peers/debian.ts'
import { toneLevel } from '#test/sound/spectrum.ts'
import type { StreamSettings } from '../engine.ts'
import { sine } from '../sound/tone.ts'
import { startWebRtc } from './webrtc-gateway.ts'

const codecs = [
  { codec: 'PCMA', mimeType: 'audio/PCMA', format: { payloadType: 8, encoding: 'PCMA/8000' } },
  {
    codec: 'opus',
    mimeType: 'audio/opus',
    format: { payloadType: 111, encoding: 'opus/48000/2', parameters: 'minptime=10;useinbandfec=1' },
  },
] as const

for (const { codec, mimeType, format } of codecs) {
  test(`Chromium and a stream hear each other: ${codec}`, async (t) => {
    if (!(await needs(t, 'chromium'))) return
    const page = await openPage(t)
    const media = startTestMedia(t)
    const gateway = startWebRtc({ mediaAddress: '127.0.0.1' })
    t.after(() => gateway.close())
    const { observer, onEvent: notifications } = watch()
    const stream = await media.openStream(observer)
    const offer = await page.evaluate<string>(makeOffer(mimeType))
    const leg = await gateway.answer(offer, { formats: [format], direction: 'sendrecv', streamPort: stream.localPort })
    const line: StreamSettings = {
      remote: leg.relay,
      codec,
      payloadType: format.payloadType,
      dtmfPayloadType: undefined,
      ptimeMs: 20,
      send: true,
      receive: true,
      srtp: undefined,
      alsoFrom: [],
    }
    stream.configure(line)
    stream.play({ samples: sine([1000], 10_000, 8000) }, { loop: true })
    const tap = stream.tap()
    await page.evaluate(`connection.setRemoteDescription({ type: 'answer', sdp: ${JSON.stringify(leg.answer)} })`)
    await leg.connected
    await notifications('heard')
    assert.equal(typeof (await page.evaluate(listenFor(1000))), 'number')
    tap.read(new Int16Array(tap.available))
    await tap.has(4000)
    const heard = new Int16Array(4000)
    tap.read(heard)
    assert.ok(toneLevel(heard, 440, 8000) > -20, `${toneLevel(heard, 440, 8000)} dB`)
  })
}
