import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sine } from '#media/sound/tone.ts'
import { wavFile } from '#media/sound/wav.ts'
import { startBaresip, type Phone } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { until } from '#test/machine/peer-process.ts'
import { loud, secondsOf } from '#test/sound/tones.ts'
import { parseWav } from '#test/sound/wav.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { seriousViolations } from './accessibility.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

const userId = 'w0'
const rate = 8_000
/** Tones of the phones and of the announcement in Hz: far from key tones, each other and each other's overtones. */
const [adas, bobs, carols, announced] = [600, 1100, 1000, 1900]

/** Telephone of the demo user. Its log has every SIP message. */
const startPhone = async (t: Scope, { sip }: Service, login: { user: string; password: string }, tone: number): Promise<Phone> => {
  const phone = await startBaresip(t, { ...login, registrar: sip.replace('sip:', ''), tone, traced: true, answer: 'auto' })
  await phone.event('REGISTER_OK')
  return phone
}

/** Another telephone on a separate line; `line` is the number to dial. */
const anotherPhone = async (t: Scope, service: Service, tone: number): Promise<{ phone: Phone; line: string }> => {
  const { api } = service
  const { id: deviceId, credentials, activePhonelines } = await api.createRegisterDevice({ userId }, { alias: 'Phone' })
  for (const { id } of activePhonelines) await api.removePhonelineDevice({ userId, phonelineId: id, deviceId })
  const { id: line } = await api.createPhoneline({ userId }, { alias: 'Line' })
  for (const { id } of (await api.listPhonelineDevices({ userId, phonelineId: line })).items)
    if (id !== deviceId) await api.removePhonelineDevice({ userId, phonelineId: line, deviceId: id })
  await api.addPhonelineDevice({ userId, phonelineId: line }, { deviceId })
  return { phone: await startPhone(t, service, { user: credentials.username, password: credentials.password }, tone), line }
}

/** Serves a sound file with only a tone. */
const serveTone = async (t: Scope, hz: number): Promise<string> => {
  const server = createServer((_request, reply) => reply.end(wavFile(sine([hz], 1_500, rate, -6), rate)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tone.wav`
}

/** Waits for the phone's latest SDP answer with this direction. */
const agreesTo = (phone: Phone, wanted: 'recvonly' | 'sendrecv'): Promise<unknown> =>
  until(wanted, () => {
    const newest = [...phone.log().matchAll(/^a=(sendrecv|sendonly|recvonly|inactive)/gm)].at(-1)?.[1]
    return newest === wanted ? true : undefined
  })

/** Expects half a second without the tone, from now on. */
const noLongerHears = async (phone: Phone, hz: number): Promise<void> => {
  const sound = async (): Promise<Float32Array> => (await phone.heard()).at(-1)?.channels[0] ?? new Float32Array()
  await until(`${phone.user} without ${hz} Hz`, async () => {
    const last = (await sound()).subarray(-rate / 2)
    return secondsOf(last, rate, hz, loud) === 0 ? true : undefined
  })
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const moment = (page: Page, words: string) => page.getByRole('log').getByText(words).waitFor()

/** Hangs up in the page; the history names the party that ended the call. */
const endsIt = async (page: Page, phone: Phone): Promise<void> => {
  await button(page, 'Hang up').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Hang up' }).click()
  await phone.event('CALL_CLOSED')
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByText('A user or a program ended the call.').first().waitFor()
}

test('controls a running call of a SIP phone from the console', async (t) => {
  if (!(await needs(t, 'chromium', 'baresip'))) return
  const service = await startService(t, { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' })
  const { api, notes } = service
  const [ada, bob, carol, browser, tone] = await Promise.all([
    startPhone(t, service, notes.sip, adas),
    anotherPhone(t, service, bobs),
    anotherPhone(t, service, carols),
    openBrowser(t),
    serveTone(t, announced),
  ])
  const visitor = await openVisitor(browser, service)
  const { page } = visitor
  await visitor.logIn()
  const theCall = async () => (await api.listCalls()).data[0] ?? assert.fail('there is no call')

  /** Opens the page of the next call that a phone starts. */
  const watch = async (dial: () => Promise<void>): Promise<void> => {
    await visitor.open('/calls')
    await page.getByText('Nobody is on the phone').waitFor()
    await dial()
    const row = page.getByRole('table', { name: 'Calls in progress' }).getByRole('row').nth(1)
    await row.getByText('Talking').waitFor()
    await row.getByRole('link').click()
    await page.getByText('Talking').waitFor()
  }

  await t.test('holds, resumes and ends a call', async () => {
    await watch(() => ada.dial(notes.number))
    await agreesTo(ada, 'sendrecv')
    await button(page, 'Hold').click()
    await button(page, 'Resume').waitFor()
    assert.equal((await theCall()).hold, true)
    await agreesTo(ada, 'recvonly')
    await moment(page, 'On hold')
    assert.deepEqual(await seriousViolations(page), [])

    await button(page, 'Resume').click()
    await button(page, 'Hold').waitFor()
    await agreesTo(ada, 'sendrecv')
    await moment(page, 'Resumed')
    await endsIt(page, ada)
    assert.deepEqual(visitor.troubles(), [])
  })

  await t.test('records after a notice, mutes, sends keys and an announcement, transfers', async () => {
    await watch(() => ada.dial(bob.line))
    await bob.phone.hears(adas, 0.5)
    const { callId } = await theCall()

    await button(page, 'Record').click()
    await page.getByRole('checkbox', { name: 'Inform participants first' }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Record' }).click()
    await button(page, 'Stop recording').waitFor()
    await moment(page, 'Recording started')

    await button(page, 'Mute').click()
    await button(page, 'Unmute').waitFor()
    assert.equal((await theCall()).muted, true)
    await noLongerHears(bob.phone, adas)
    await button(page, 'Unmute').click()
    await button(page, 'Mute').waitFor()

    await button(page, 'Send keys').click()
    await page.getByRole('dialog').getByRole('button', { name: '5' }).click()
    await page.keyboard.press('#')
    for (const digit of '5#') assert.equal((await bob.phone.event('CALL_DTMF_START')).param, digit)
    await page.keyboard.press('Escape')

    await button(page, 'Announcement').click()
    await page.getByLabel('URL of the audio file').fill(tone)
    await button(page, 'Play').click()
    await Promise.all([ada.hears(announced, 1), bob.phone.hears(announced, 1)])
    await button(page, 'Stop recording').click()
    await button(page, 'Record').waitFor()

    await button(page, 'Transfer').click()
    await page.getByLabel('Transfer to').fill(carol.line)
    await page.getByLabel('Caller ID').selectOption(notes.number)
    assert.deepEqual(await seriousViolations(page), [])
    const asked = page.waitForRequest(/\/transfer$/)
    await page.getByRole('dialog').getByRole('button', { name: 'Transfer' }).click()
    assert.deepEqual((await asked).postDataJSON(), { attended: false, phoneNumber: carol.line, callerId: notes.number })
    await Promise.all([carol.phone.event('CALL_ESTABLISHED'), bob.phone.event('CALL_CLOSED')])
    await Promise.all([carol.phone.hears(adas, 0.5), moment(page, 'Transferred')])

    await ada.hangUp()
    await page.getByRole('link', { name: 'History' }).click()
    await button(page, 'Play').waitFor()
    const { recordings: [recording] = [] } = (await api.listOwnHistory({ callId })).items[0] ?? {}
    const { channels } = parseWav(Buffer.from(await api.getRecording({ recordingId: recording?.id ?? '' })))
    const tonesOf = (sound: Float32Array): number[] => [adas, bobs].filter((hz) => secondsOf(sound, rate, hz, loud) > 0.5)
    assert.deepEqual(channels.map(tonesOf), [[adas], [bobs]])
    assert.deepEqual(visitor.troubles(), [])
  })

  await t.test("shows another user's entries by choosing that user, without marking them as read", async () => {
    const login = { email: 'mia@example.com', password: 'correct-horse-battery' }
    await service.operator.createUser({}, { accountId: notes.accountId, firstname: 'Mia', lastname: 'Berg', ...login })
    const mia = (await api.listUsers()).items.find(({ firstname }) => firstname === 'Mia')?.id ?? assert.fail('there is no Mia')
    const { id: line } = await api.createPhoneline({ userId: mia }, { alias: 'Mia' })
    const before = ada.events().length
    await ada.dial(line)
    await until('an answer', () =>
      ada
        .events()
        .slice(before)
        .find(({ type }) => type === 'CALL_ESTABLISHED' || type === 'CALL_CLOSED'),
    )
    await ada.hangUp().catch(() => undefined)
    await until('the call to be noted', async () => (await api.listHistory({ userId: mia })).items[0])
    await visitor.open('/calls')
    await page.getByRole('combobox', { name: 'Person' }).click()
    await page.getByRole('option', { name: 'Mia Berg' }).click()
    const rows = page.getByRole('table', { name: 'History' }).getByRole('row')
    await until('her entry alone', async () => ((await rows.count()) === 2 ? true : undefined))
    await rows.nth(1).getByRole('link').click()
    await button(page, 'Star').click()
    await button(page, 'Remove star').waitFor()
    const [entry] = (await api.listHistory({ userId: mia })).items
    assert.deepEqual([entry?.starred, entry?.read], [true, false])
    await page.getByRole('link', { name: 'Calls' }).last().click()
    await until('her entry again', async () => ((await rows.count()) === 2 ? true : undefined))
    assert.deepEqual(visitor.troubles(), [])
  })
})
