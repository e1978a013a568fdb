import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { BrowserFarEnd } from '#core/kernel/ports/browser.ts'
import type { SoundState } from '#core/kernel/ports/audio.ts'
import { startWebRtc } from '#media/webrtc/webrtc-gateway.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { openBrowser, withoutAddresses } from '#test/phones/browser-peer.ts'
import { Office, type OfficeOptions } from '#test/phones/telephone-office.ts'
import { ToneCaller } from '#test/sound/tone-caller.ts'

const formats = [{ payloadType: 8, encoding: 'PCMA/8000' }]

/** A page that records its notifications. */
const openPage = async (t: TestContext, options: OfficeOptions = {}) => {
  const office = await Office.open(t, options)
  const browser = openBrowser(t, formats)
  const notified: string[] = []
  const page = {
    ringing: () => notified.push('ringing'),
    media: (sdp: string, early: boolean) => {
      notified.push(early ? 'early' : 'media')
      browser.connection.setRemoteDescription(sdp, 'answer')
    },
    answered: () => notified.push('answered'),
    held: (value: boolean) => notified.push(`held ${value}`),
    lostWay: () => notified.push('lost its way'),
    moved: (callId: string) => notified.push(`moved to ${callId}`),
  }
  return { office, browser, told: notified, page, offer: withoutAddresses(await browser.describe('offer')) }
}

test('a ringing page accepts, is held and resumed, and reports missing audio', async (t) => {
  const { office, browser, told: notified, page, offer } = await openPage(t)
  const farEnd = office.telephony.openBrowserLeg(page)
  const { leg } = farEnd
  const seen: string[] = []
  leg.observe({
    ringing: () => seen.push('ringing'),
    answered: () => seen.push('answered'),
    dtmf: (digit) => seen.push(digit),
    held: (value) => seen.push(`held ${value}`),
    sound: (state: SoundState) => seen.push(state),
  })
  await farEnd.prepare(undefined)
  farEnd.rings()
  await Promise.all([farEnd.accepts(offer), farEnd.accepts(offer)])
  assert.deepEqual([notified, seen, leg.codec], [['media', 'answered'], ['ringing', 'answered'], 'PCMA'])
  browser.talk(700)
  leg.audio.echo(true)
  await browser.hears(700)
  farEnd.presses('1#')
  farEnd.holds(true)
  farEnd.holds(true)
  farEnd.holds(false)
  farEnd.reports({ lossPct: 1, silentMs: 2_000 })
  farEnd.reports({ lossPct: 1, silentMs: 4_000 })
  farEnd.reports({ lossPct: 1.26, silentMs: 0, rttMs: 33.33 })
  assert.deepEqual(seen.slice(2), ['1', '#', 'held true', 'held false', 'unheard', 'heard'])
  await leg.hold(true)
  farEnd.presses('2')
  await leg.hold(false)
  await browser.hears(700)
  leg.movedTo?.('another')
  assert.deepEqual([notified.slice(2), seen.includes('2')], [['held true', 'held false', 'moved to another'], false])
  await leg.hangUp('normal')
  const quality = await leg.quality
  assert.deepEqual([quality?.reported?.lossPercent, quality?.roundTripMs], [1.3, 33.3])
  farEnd.hangsUp()
  assert.deepEqual(await leg.ended, { by: 'us', cause: 'normal' })
})

test('a calling page hears early media; an unreadable offer ends as not acceptable', async (t) => {
  const { office, browser, told: notified, page, offer } = await openPage(t)
  const { leg } = office.telephony.openBrowserLeg(page, offer)
  leg.ring()
  await leg.openEarly()
  leg.audio.play({ tone: 'ringback' }, { loop: true })
  await browser.hears(425)
  await Promise.all([leg.answer(), leg.answer()])
  assert.deepEqual(notified, ['ringing', 'early', 'answered'])
  await leg.hangUp('normal')
  const strange = office.telephony.openBrowserLeg(page, 'v=0')
  await strange.leg.answer()
  assert.deepEqual(await strange.leg.ended, { by: 'us', cause: 'not_acceptable' })
  const refused = office.telephony.openBrowserLeg(page)
  refused.declines('busy')
  await refused.accepts(offer)
  assert.deepEqual(await refused.leg.ended, { by: 'peer', cause: 'busy' })
})

test('carries sound as samples when WebRTC fails, also after a hold and over another connection', async (t) => {
  const { office, told: notified, page, offer } = await openPage(t)
  const farEnd = office.telephony.openBrowserLeg(page)
  const { leg } = farEnd
  let says: (samples: Int16Array) => void = () => {}
  const caller = new ToneCaller(t, (frame) => says(frame))
  caller.hums(900)
  await farEnd.accepts(offer)
  leg.audio.echo(true)
  says = await farEnd.carries((samples) => caller.hears(samples))
  await caller.hearsTone(900)
  await leg.hold(true)
  await caller.missesTone(900)
  await leg.hold(false)
  says = await farEnd.carries((samples) => caller.hears(samples))
  await caller.hearsTone(900)
  assert.deepEqual(notified, ['media', 'answered', 'held true', 'held false'])
  await leg.hangUp('normal')
})

test('notifies the page when the gateway dies and continues with samples; ends the call without them', async (t) => {
  const clock = new VirtualClock()
  let kill = (): unknown => assert.fail('no gateway was started')
  const webrtc = startWebRtc({
    mediaAddress: '127.0.0.1',
    bindAddress: '127.0.0.1',
    processStarted: (pid) => (kill = () => process.kill(pid, 'SIGKILL')),
  })
  t.after(() => webrtc.close())
  const { office, page, offer } = await openPage(t, { telephony: { webrtc, clock } })
  /** Two calls lose their media path together. */
  const lose = async (): Promise<[BrowserFarEnd, BrowserFarEnd]> => {
    const lost = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const ends = lost.map(({ resolve }) => office.telephony.openBrowserLeg({ ...page, media: () => {}, lostWay: resolve }))
    const [one, other] = ends
    assert.ok(one && other)
    for (const end of ends) await end.accepts(offer)
    kill()
    await Promise.all(lost.map(({ promise }) => promise))
    return [one, other]
  }
  const [carried, forgotten] = await lose()
  let says: (samples: Int16Array) => void = () => {}
  const caller = new ToneCaller(t, (frame) => says(frame))
  caller.hums(900)
  carried.leg.audio.echo(true)
  says = await carried.carries((samples) => caller.hears(samples))
  await clock.advance(10_000)
  assert.deepEqual(await forgotten.leg.ended, { by: 'network', cause: 'media_timeout' })
  await caller.hearsTone(900)
  await carried.leg.hangUp('normal')
})
