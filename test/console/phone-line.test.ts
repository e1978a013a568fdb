import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { breakableLine } from './breakable-line.ts'
import { hearsNoTone, hearsTone, speakTone } from './page-tones.ts'
import { bar, dial, haveTwoWayAudio, incoming, newPerson, type Person } from './phone-people.ts'
import { startService } from './service.ts'
import { openBrowser, timeoutMs } from './visitor.ts'

/** Simulates a network that blocks UDP: only a relay would help, and there is none. */
const withoutUdp = `
  const Connection = RTCPeerConnection
  globalThis.RTCPeerConnection = class extends Connection {
    constructor(settings) {
      super({ ...settings, iceTransportPolicy: 'relay' })
    }
  }
`

/** A tone of 0 Hz is silence. */
const silence = 0

/** Counts ringtone starts of a tab, by one tone of its ringtone. */
const countRinging = `
  globalThis.rings = 0
  const start = OscillatorNode.prototype.start
  OscillatorNode.prototype.start = function (...at) {
    if (this.frequency.value === 659) globalThis.rings += 1
    return start.apply(this, at)
  }
`

/** Another tab of the same person. */
const openTab = async ({ page, service, tone }: Person): Promise<Page> => {
  const tab = await page.context().newPage()
  await speakTone(tab, tone)
  await tab.addInitScript(countRinging)
  await tab.goto(`${service.http}/console/phone`)
  await tab.getByText('Ready', { exact: true }).waitFor()
  return tab
}

/** The service's WebRTC gateway is a separate process. */
const killGateway = (service: number): void => {
  const children = globSync(`/proc/${service}/task/*/children`).flatMap((file) => readFileSync(file, 'utf8').trim().split(' '))
  const gateway = children.find((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('webrtc-process'))
  process.kill(Number(gateway ?? assert.fail('it has none')), 'SIGKILL')
}

test('keeps the browser phone working through faults', { timeout: 300_000 }, async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_SPEECH: 'off' }), openBrowser(t)])
  const line = await breakableLine(t, service.http)
  const [ada, bob, cora, mute] = await Promise.all([
    newPerson({ ...service, http: line.http }, browser, 'Ada', 620),
    newPerson(service, browser, 'Bob', 1150, countRinging),
    newPerson({ ...service, http: line.http }, browser, 'Cora', 1900, withoutUdp),
    newPerson(service, browser, 'Dora', silence),
  ])

  await t.test('keeps the call up through a short connection loss, with its recording in the history', async () => {
    await dial(ada, bob.number)
    await incoming(bob.page).getByRole('button', { name: 'Accept' }).click()
    await haveTwoWayAudio(ada, bob)
    const before = line.opened()
    line.breakSockets()
    await until('another connection', async () => line.opened() > before || undefined, timeoutMs)
    await bar(ada.page).getByRole('button', { name: 'Mute microphone' }).click()
    await hearsNoTone(bob.page, ada.tone)
    await bar(ada.page).getByRole('button', { name: 'Record', exact: true }).click()
    await bar(ada.page).getByRole('button', { name: 'Recording', pressed: true }).waitFor()
    await hearsTone(ada.page, bob.tone)
    await bar(ada.page).getByRole('button', { name: 'Hang up' }).click()
    await bar(bob.page).getByText('Call ended').waitFor()
    await bar(ada.page).getByRole('link', { name: 'Open this call' }).click()
    await ada.page.getByRole('button', { name: 'Play', exact: true }).click()
    await hearsTone(ada.page, bob.tone)
  })

  await t.test('falls back to a WebSocket where UDP is blocked, also through a connection loss', async () => {
    await dial(cora, bob.number)
    await incoming(bob.page).getByRole('button', { name: 'Accept' }).click()
    await haveTwoWayAudio(bob, cora)
    line.breakSockets()
    await hearsNoTone(bob.page, cora.tone)
    await haveTwoWayAudio(bob, cora)
    await bar(cora.page).getByRole('button', { name: 'Hang up' }).click()
    await bar(bob.page).getByText('Call ended').first().waitFor()
  })

  await t.test('keeps the call up when the WebRTC process dies', async () => {
    await dial(ada, bob.number)
    await incoming(bob.page).getByRole('button', { name: 'Accept' }).click()
    await haveTwoWayAudio(ada, bob)
    const before = line.opened()
    killGateway(service.pid)
    await until('another way', async () => line.opened() > before || undefined, timeoutMs)
    await haveTwoWayAudio(ada, bob)
    await bar(ada.page).getByRole('button', { name: 'Hang up' }).click()
    await bar(bob.page).getByText('Call ended').first().waitFor()
  })

  await t.test('hangs up when the page is closed', async () => {
    await dial(ada, bob.number)
    await incoming(bob.page).getByRole('button', { name: 'Accept' }).click()
    await haveTwoWayAudio(ada, bob)
    await ada.page.close()
    const closed = Date.now()
    await bar(bob.page).getByText('Call ended').first().waitFor({ timeout: 20_000 })
    t.diagnostic(`ends ${Date.now() - closed} ms after the page was closed`)
  })

  await t.test('rings aloud in one of three tabs, answers in one, and reports missing inbound audio', async () => {
    const tabs = [bob.page, await openTab(bob), await openTab(bob)]
    await dial(mute, bob.number)
    await Promise.all(tabs.map((tab) => incoming(tab).waitFor()))
    const counts = () => Promise.all(tabs.map((tab) => tab.evaluate<number>('globalThis.rings')))
    await until('a ringtone', async () => (await counts()).some((count) => count > 0) || undefined, timeoutMs)
    const [, second = bob.page, third = bob.page] = tabs
    await incoming(second).getByRole('button', { name: 'Accept' }).click()
    await Promise.all([bob.page, third].map((tab) => incoming(tab).waitFor({ state: 'hidden' })))
    assert.equal((await counts()).filter((count) => count > 0).length, 1)
    await hearsTone(mute.page, bob.tone)
    await bar(second).getByText('No sound is arriving from the other side.').waitFor()
    await bar(second).getByRole('button', { name: 'Hang up' }).click()
    await bar(mute.page).getByText('Call ended').waitFor()
  })

  await t.test('reports no other browser errors', () => {
    assert.deepEqual([ada, bob, cora, mute].map(({ visitor }) => visitor.troubles()).flat(), [])
  })
})
