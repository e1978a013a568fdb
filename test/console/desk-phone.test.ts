import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { until } from '#test/machine/peer-process.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { startBaresip, type Phone } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { hearsWords } from '#test/sound/heard-words.ts'
import { loud, secondsOf } from '#test/sound/tones.ts'
import { seriousViolations } from './accessibility.ts'
import { hearsTone, speakTone } from './page-tones.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

const userId = 'w0'
/** Tones of the page, the caller's and the colleague's phone in Hz: far from each other, from ringing and from keys. */
const [pages, adas, bobs] = [620, 1150, 1900]

interface Desk {
  phone: Phone
  deviceId: string
  number: string
}

/** Creates a line with only this device, without voicemail, and its number. */
const newLine = async ({ api, operator, notes }: Service, deviceId: string, number: string): Promise<string> => {
  const { id: phonelineId } = await api.createPhoneline({ userId }, { alias: 'Line' })
  const line = { userId, phonelineId }
  for (const { id } of (await api.listPhonelineDevices(line)).items)
    if (id !== deviceId) await api.removePhonelineDevice({ ...line, deviceId: id })
  await api.addPhonelineDevice(line, { deviceId })
  for (const { id } of (await api.listPhonelineVoicemails(line)).items)
    await api.changePhonelineVoicemail({ ...line, voicemailId: id }, { active: false })
  const [address] = (await api.listAddresses()).items
  const { id: numberId } = await operator.assignNumber({}, { accountId: notes.accountId, number, addressId: address?.id ?? '' })
  await api.changeNumber({ numberId }, { endpointId: phonelineId })
  return number
}

/** SIP phone with its own number. */
const newDesk = async (t: Scope, service: Service, alias: string, number: string, tone: number): Promise<Desk> => {
  const { id: deviceId, credentials, activePhonelines } = await service.api.createRegisterDevice({ userId }, { alias })
  for (const { id } of activePhonelines) await service.api.removePhonelineDevice({ userId, phonelineId: id, deviceId })
  await newLine(service, deviceId, number)
  const { username: user, password } = credentials
  const phone = await startBaresip(t, { user, password, registrar: service.sip.replace('sip:', ''), tone })
  await phone.event('REGISTER_OK')
  return { phone, deviceId, number }
}

const bar = (page: Page): Locator => page.getByRole('region', { name: 'Your calls' })
const press = (where: Page | Locator, name: string): Promise<void> => where.getByRole('button', { name, exact: true }).click()

/** Answers the ringing call on any page. */
const takesCall = async (page: Page): Promise<void> => {
  await page.getByRole('alertdialog', { name: 'Incoming call' }).getByRole('button', { name: 'Accept' }).click()
  await hearsTone(page, adas)
}

/** Picks an action for a number of the contact. */
const choose = async (page: Page, name: string, action: string): Promise<void> => {
  const row = page.getByRole('row').filter({ hasText: name })
  await row.getByRole('button', { name: /^\+49/ }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** Listens in the newest call, whose recording may not have started yet. */
const hears = (phone: Phone, hz: number): Promise<unknown> =>
  until(`${phone.user} with ${hz} Hz`, async () => {
    const { channels: [sound] = [], rate } = (await phone.heard()).at(-1) ?? { rate: 0 }
    return sound !== undefined && secondsOf(sound, rate, hz, loud) >= 0.5 ? true : undefined
  })

test('connects the console and SIP phones', { timeout: 120_000 }, async (t) => {
  if (!(await needs(t, 'chromium', 'baresip'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const { api, operator, notes } = service
  const visitor = await openVisitor(browser, service)
  const { page } = visitor
  await speakTone(page, pages)
  await visitor.logIn()
  await visitor.go('/phone')
  await page.getByRole('switch', { name: 'Ring in this browser' }).click()
  await page.getByText('Ready', { exact: true }).waitFor()
  const browserPhone = (await api.listUserDevices({ userId })).items.find(({ type }) => type === 'BROWSER')?.id ?? assert.fail()
  const number = await newLine(service, browserPhone, '+493090182000')
  const ada = await newDesk(t, service, 'Ada’s desk', '+493090182001', adas)
  const bob = await newDesk(t, service, 'Bob’s desk', '+493090182002', bobs)
  const cora = await newDesk(t, service, 'Cora’s desk', '+493090182003', 0) // an assistant does not greet a caller who speaks
  await api.createContact({}, { name: 'Bob Berg', numbers: [bob.number] })
  await api.createContact({}, { name: 'Cora Berg', numbers: [cora.number] })

  await t.test('rings the history page when a SIP phone calls, with two-way audio and keys, until the phone hangs up', async () => {
    await visitor.go('/calls')
    await ada.phone.dial(number)
    await takesCall(page)
    await hears(ada.phone, pages)
    await press(bar(page), 'Keypad')
    for (const digit of ['5', '#']) {
      await press(bar(page).getByRole('group', { name: 'Keypad' }), digit)
      assert.equal((await ada.phone.event('CALL_DTMF_START')).param, digit)
    }
    assert.deepEqual(await seriousViolations(page), [])
    await ada.phone.hangUp()
    await bar(page).getByText('Call ended').waitFor()
  })

  await t.test('transfers a call from the bar to another SIP phone with two-way audio', async () => {
    await ada.phone.event('CALL_CLOSED')
    await ada.phone.dial(number)
    await takesCall(page)
    await press(bar(page), 'Transfer')
    await page.getByRole('combobox', { name: 'To', exact: true }).fill(bob.number)
    await press(page, 'Transfer now')
    await bob.phone.answer()
    await bar(page).getByText('Call ended').first().waitFor()
    await Promise.all([hears(ada.phone, bobs), hears(bob.phone, adas)])
    await bob.phone.hangUp()
    await ada.phone.event('CALL_CLOSED')
  })

  await t.test('calls a contact from this browser, and hangs up from the page', async () => {
    await visitor.go('/contacts')
    await choose(page, 'Bob Berg', 'Call from this browser')
    await bob.phone.answer()
    await Promise.all([hearsTone(page, bobs), hears(bob.phone, pages)])
    await bob.phone.event('CALL_CLOSED')
    await press(bar(page), 'Hang up')
    await bob.phone.event('CALL_CLOSED')
  })

  await t.test("rings the user's desk phone first, then the contact", async () => {
    await choose(page, 'Bob Berg', 'Call with my desk phone')
    const dialog = page.getByRole('dialog', { name: 'Call Bob Berg with a desk phone' })
    await dialog.getByRole('combobox', { name: 'Phone' }).click()
    await page.getByRole('option', { name: 'Ada’s desk' }).click()
    await press(dialog, 'Call')
    await page.getByText('Your phone is ringing now').waitFor()
    await ada.phone.answer()
    await bob.phone.answer()
    await Promise.all([hears(ada.phone, bobs), hears(bob.phone, adas)])
    await ada.phone.hangUp()
    await bob.phone.event('CALL_CLOSED')
  })

  await t.test('lets an assistant call after the operator allowed it', async () => {
    await choose(page, 'Cora Berg', 'Let an assistant call')
    const dialog = page.getByRole('dialog', { name: 'Let an assistant call Cora Berg' })
    await dialog.getByText('has not allowed your assistants to make calls yet').waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Call', exact: true }).isDisabled(), true)
    assert.deepEqual(await seriousViolations(page), [])
    await operator.reviewAccountOutbound({ accountId: notes.accountId }, { enabled: true, reviewer: 'Op', reason: 'Known' })
    await visitor.open('/contacts')
    await choose(page, 'Cora Berg', 'Let an assistant call')
    await dialog.getByText('Reviewed: your assistants can make calls.').waitFor()
    await press(dialog, 'Call')
    await cora.phone.answer()
    await hearsWords(cora.phone, 'Hello')
    await page.getByRole('heading', { level: 1 }).getByText('Cora Berg').waitFor()
    await cora.phone.hangUp()
  })

  await t.test('reports no browser errors', () => assert.deepEqual(visitor.troubles(), []))
})
