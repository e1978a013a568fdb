import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage } from '#test/machine/chromium.ts'
import { startTestMedia, watch } from '#test/phones/media-call.ts'
import { needs } from '#test/peers/debian.ts'
import { toneLevel } from '#test/sound/spectrum.ts'
import type { StreamSettings } from '../engine.ts'
import { sine } from '../sound/tone.ts'
import { startWebRtc } from './webrtc-gateway.ts'

/** In the page: says 440 Hz, and listens. */
const makeOffer = (mimeType: string): string => `(async () => {
  const audio = new AudioContext({ sampleRate: 48000 })
  const tone = audio.createOscillator()
  tone.frequency.value = 440
  const microphone = audio.createMediaStreamDestination()
  tone.connect(microphone)
  tone.start()
  await audio.resume()
  const connection = new RTCPeerConnection({ iceServers: [] })
  const transceiver = connection.addTransceiver(microphone.stream.getAudioTracks()[0], { direction: 'sendrecv', streams: [microphone.stream] })
  transceiver.setCodecPreferences(RTCRtpReceiver.getCapabilities('audio').codecs.filter((codec) => codec.mimeType === '${mimeType}'))
  connection.ontrack = ({ track }) => {
    const speaker = new Audio()
    speaker.srcObject = new MediaStream([track])
    speaker.play().catch(() => {})
    const analyser = audio.createAnalyser()
    analyser.fftSize = 8192
    audio.createMediaStreamSource(new MediaStream([track])).connect(analyser)
    globalThis.analyser = analyser
  }
  globalThis.connection = connection
  await connection.setLocalDescription(await connection.createOffer())
  await new Promise((resolve) => {
    if (connection.iceGatheringState === 'complete') resolve()
    connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && resolve()
  })
  return connection.localDescription.sdp
})()`

/** In the page: the loudest frequency that is heard, as soon as it is near the one that is waited for. */
const listenFor = (hz: number): string => `(async () => {
  const bins = new Float32Array(analyser.frequencyBinCount)
  for (let i = 0; i < 600; i++) {
    analyser.getFloatFrequencyData(bins)
    const loudest = bins.reduce((best, level, at) => (level > bins[best] ? at : best), 0)
    const found = (loudest * 48000) / analyser.fftSize
    if (Math.abs(found - ${hz}) < 20) return Math.round(found)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return 'nothing near'
})()`

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
    const { observer, told } = watch()
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
    await told('heard')
    assert.equal(typeof (await page.evaluate(listenFor(1000))), 'number')
    tap.read(new Int16Array(tap.available))
    await tap.has(4000)
    const heard = new Int16Array(4000)
    tap.read(heard)
    assert.ok(toneLevel(heard, 440, 8000) > -20, `${toneLevel(heard, 440, 8000)} dB`)
  })
}
