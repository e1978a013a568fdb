// test: calls
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sine } from '#media/sound/tone.ts'
import { startWebRtc } from '#media/webrtc/webrtc-gateway.ts'
import { openPage } from '#test/machine/chromium.ts'
import { needs } from '#test/peers/debian.ts'
import { answerTo, listenFor, makeOffer } from '#test/phones/chromium-peer.ts'
import { startTestMedia, watch } from '#test/phones/media-call.ts'
import { toneLevel } from '#test/sound/spectrum.ts'
import type { SavedWebRtc } from './media-session.ts'
import { WebRtcMediaSession } from './webrtc-media-session.ts'

/** One of our nodes as a browser hears it: it plays this tone. */
const openSide = async (t: TestContext, hz: number, resumed?: SavedWebRtc) => {
  const media = startTestMedia(t)
  const gateway = startWebRtc({ mediaAddress: '127.0.0.1' })
  t.after(() => gateway.close())
  const { observer, onEvent: notifications } = watch()
  const stream = await media.openStream(observer)
  stream.play({ samples: sine([hz], 10_000, 8000) }, { loop: true })
  const session = new WebRtcMediaSession({ gateway, codecs: ['opus', 'PCMA'], mayReach: () => true, resumed })
  return { gateway, stream, session, onEvent: notifications }
}

const hears = async ({ stream }: Awaited<ReturnType<typeof openSide>>, hz: number): Promise<void> => {
  const tap = stream.tap()
  await tap.has(4000)
  const heard = new Int16Array(4000)
  tap.read(heard)
  tap.close()
  assert.ok(toneLevel(heard, hz, 8000) > -20, `${toneLevel(heard, hz, 8000)} dB`)
}

test('Chromium hears another node after a takeover: ICE restart, another DTLS association', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const page = await openPage(t)
  const first = await openSide(t, 1000)
  const offer = await page.evaluate<string>(makeOffer('audio/opus'))
  const answered = (await first.session.answer(offer, first.stream.localPort)) ?? assert.fail('not answered')
  first.stream.configure(answered.agreed.settings)
  await page.evaluate(`connection.setRemoteDescription({ type: 'answer', sdp: ${JSON.stringify(answered.sdp)} })`)
  await first.onEvent('heard')
  assert.equal(typeof (await page.evaluate(listenFor(1000))), 'number')
  const text = JSON.stringify(first.session.saved() ?? assert.fail('nothing to keep'))
  assert.ok(!/ufrag|pwd|fingerprint|candidate/.test(text), 'what is true for the lost connection only is not kept')
  await first.gateway.close()
  await first.stream.close()

  const second = await openSide(t, 1700, JSON.parse(text) as SavedWebRtc)
  const again = await second.session.offer(second.stream.localPort)
  const originOf = (sdp: string): string[] => /^o=\S+ (\S+) (\d+)/m.exec(sdp)?.slice(1) ?? []
  assert.deepEqual(originOf(again)[0], originOf(answered.sdp)[0])
  assert.ok(Number(originOf(again)[1]) > Number(originOf(answered.sdp)[1]))
  const agreed = second.session.confirm(await page.evaluate<string>(answerTo(again))) ?? assert.fail('not agreed')
  second.stream.configure(agreed.settings)
  await second.onEvent('heard')
  assert.equal(typeof (await page.evaluate(listenFor(1700))), 'number')
  await hears(second, 440)
  // Hold and resume are in the same session.
  second.session.holding = true
  const held = await second.session.offer(second.stream.localPort)
  assert.match(held, /a=sendonly/)
  assert.deepEqual(originOf(held), [originOf(again)[0], String(Number(originOf(again)[1]) + 1)])
})
