import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { encode } from 'uqr'
import { startBaresip } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { toneWav } from '#test/sound/wav.ts'
import { seriousViolations } from './accessibility.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, type Visitor } from './visitor.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const dialog = (page: Page) => page.getByRole('dialog')

/** Value of a copy field, by its label. */
const copied = (page: Page, label: string): Promise<string> =>
  page.getByText(label, { exact: true }).locator('..').locator('code').innerText()

/** Selects from a Mantine list. */
const choose = async (page: Page, label: string, option: string): Promise<void> => {
  await page
    .getByRole('combobox', { name: label })
    .or(page.getByLabel(label, { exact: true }))
    .first()
    .click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

test('manages the account in the console', async (t) => {
  if (!(await needs(t, 'chromium', 'baresip'))) return
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_SPEECH: 'off' }), openBrowser(t)])
  const visitor = await openVisitor(browser, service)
  await visitor.logIn()

  await t.test('shows the login of a new device, with which a phone registers', () => registerPhone(t, visitor, service))
  await t.test('hands the login to a softphone by code, until the password changes', () => scanCode(visitor))
  await t.test('deletes a device only after a confirmation', () => deleteDevice(visitor, service))
  await t.test('routes a number to a phone line', () => routeNumber(visitor, service))
  await t.test('validates quick dial numbers while they are typed', () => quickDial(visitor, service))
  await t.test('accepts any sound file as a greeting', () => addGreeting(visitor, service))
  await t.test('hides actions that a user may not perform', async () => {
    const password = 'a long password'
    const { accountId } = service.notes
    await service.operator.createUser({}, { accountId, email: 'mia@example.com', firstname: 'Mia', lastname: 'Berg', password })
    await asMember(await openVisitor(browser, { ...service, notes: { ...service.notes, email: 'mia@example.com', password } }))
  })
})

const registerPhone = async (t: TestContext, { page, open, troubles }: Visitor, { sip }: Service): Promise<void> => {
  await open('/devices')
  await press(page, 'Add device')
  await dialog(page).getByLabel('Name').fill('Kitchen')
  assert.deepEqual(await seriousViolations(page), [])
  await press(page, 'Create device')
  await page.getByRole('heading', { name: 'Kitchen' }).waitFor()
  await page.getByText('Offline', { exact: true }).waitFor()

  await press(page, 'Show password')
  assert.match(await copied(page, 'Password'), /^•+$/, 'covered at first')
  await page.getByRole('button', { name: 'Show', exact: true }).first().click()
  const [user, password] = [await copied(page, 'User name'), await copied(page, 'Password')]
  const registrar = sip.replace('sip:', '')
  assert.equal(await copied(page, 'Server (registrar, domain)'), registrar)
  const phone = await startBaresip(t, { user, password, registrar })
  assert.match((await phone.event('REGISTER_OK')).param ?? '', /^200/)
  await page.getByText('Online', { exact: true }).waitFor()
  await page.getByText(/^baresip/).waitFor()
  assert.deepEqual(troubles(), [])
}

const scanCode = async ({ page, troubles }: Visitor): Promise<void> => {
  const password = await copied(page, 'Password')
  await press(page, 'Show code')
  const code = page.getByRole('img', { name: 'QR code with the address of the settings' })
  await code.waitFor()
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  assert.deepEqual(await seriousViolations(page), [])
  const address = await copied(page, 'Address in the code, for Linphone’s “remote provisioning”')
  assert.equal(await code.locator('path').getAttribute('d'), pathOf(address), 'the code says the address')

  await press(page, 'New password')
  await press(page, 'Cancel')
  const settings = await fetch(address)
  assert.equal(settings.status, 200, 'asked, and not done')
  assert.match(await settings.text(), new RegExp(`<entry name="passwd" overwrite="true">${password}</entry>`))
  await press(page, 'New password')
  await press(page, 'Create new password')
  await page.getByText('New password created.').waitFor()
  await page.getByText('Offline', { exact: true }).waitFor()
  assert.equal((await fetch(address)).status, 403)
  assert.equal(await code.count(), 0, 'a code of the old password is not shown any more')
  assert.deepEqual(troubles(), [])
}

const pathOf = (content: string): string => {
  const { data } = encode(content, { ecc: 'M', border: 4 })
  return data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
}

const deleteDevice = async ({ page, troubles }: Visitor, { api }: Service): Promise<void> => {
  const names = async () => (await api.listUserDevices({ userId: 'w0' })).items.map(({ alias }) => alias)
  await press(page, 'Delete device')
  await dialog(page).getByText('This cannot be undone', { exact: false }).waitFor()
  await press(page, 'Cancel')
  assert.deepEqual(await names(), ['Demo phone', 'Kitchen'])
  await press(page, 'Delete device')
  await dialog(page).getByRole('button', { name: 'Delete device' }).click()
  await page.getByRole('heading', { name: 'Devices' }).waitFor()
  assert.deepEqual(await names(), ['Demo phone'])
  // The page polls its device every few seconds, perhaps once more before it is left.
  assert.deepEqual(
    troubles().filter((trouble) => !/status of 404 .*\/v1\/devices\/e1\)/.test(trouble)),
    [],
  )
}

const routeNumber = async ({ page, open, troubles }: Visitor, { api, operator, notes }: Service): Promise<void> => {
  const { id: numberId } = await operator.assignNumber({}, { accountId: notes.accountId, number: '+442079460123' })
  await open('/numbers')
  await page.getByRole('button', { name: /^Assign \+44/ }).click()
  await choose(page, 'Assigned to', 'Phone line')
  await page.getByRole('dialog').getByRole('combobox', { name: 'Target' }).waitFor()
  await press(page, 'Save')
  await page.getByRole('row', { name: /\+44.*Demo Admin/ }).waitFor()
  assert.equal((await api.getNumber({ numberId })).endpointId, 'p0')
  await page.getByRole('button', { name: /^Assign \+44/ }).click()
  await choose(page, 'Assigned to', 'Not assigned')
  await press(page, 'Save')
  await page.getByRole('row', { name: /\+44.*Not assigned/ }).waitFor()
  assert.equal((await api.getNumber({ numberId })).endpointId, '')
  assert.deepEqual(troubles(), [])
}

const quickDial = async ({ page, open, troubles }: Visitor, { api }: Service): Promise<void> => {
  await open('/quickdial')
  await press(page, 'Add quick dial')
  const field = dialog(page).getByLabel('Short number')
  await field.fill('110')
  await dialog(page).getByText('This cannot be a quick dial number.').waitFor()
  await field.fill('20')
  await dialog(page).getByText('This number is available.').waitFor()
  await press(page, 'Save')
  await page.getByRole('row', { name: /20.*Demo Admin/ }).waitFor()
  await press(page, 'Add quick dial')
  await field.fill('20')
  await dialog(page).getByText('This number is already taken.').waitFor()
  await press(page, 'Cancel')

  await press(page, 'Actions for 20')
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await press(page, 'Delete quick dial')
  await page.getByText('No quick dials yet').waitFor()
  assert.equal((await api.listNumbers()).items.filter(({ type }) => type === 'QUICKDIAL').length, 0)
  const refusals = troubles()
  assert.ok(
    refusals.every((trouble) => /status of 40[09]/.test(trouble)),
    `Chromium complains only about refusals: ${refusals.join()}`,
  )
}

const addGreeting = async ({ page, open, troubles }: Visitor, { api }: Service): Promise<void> => {
  await open('/lines/w0/p0')
  await press(page, 'Add greeting')
  await dialog(page).getByLabel('Name').fill('Holidays')
  const tone = { name: 'holidays.wav', mimeType: 'audio/wav', buffer: toneWav({ hz: 440, seconds: 2, rate: 44_100 }) }
  await page.locator('input[type=file]').setInputFiles(tone)
  await dialog(page).getByText('0:02').waitFor()
  await page.keyboard.press('Escape')
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'hidden' })
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('row', { name: /Holidays.*In use/ }).waitFor()
  const [greeting] = (await api.listGreetings({ voicemailId: 'v0' })).items
  assert.equal(greeting?.duration, 2)
  await press(page, 'Play Holidays')
  await page.locator('audio[src^="blob:"]').waitFor()
  assert.deepEqual(troubles(), [])
}

const asMember = async ({ page, open, logIn, troubles }: Visitor): Promise<void> => {
  await logIn()
  await open('/quickdial')
  await page.getByText('No quick dials yet').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Add quick dial' }).count(), 0)
  await open('/lines')
  await page.getByRole('link', { name: 'Mia Berg' }).click()
  await page.getByRole('button', { name: 'Add forwarding' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Delete line' }).count(), 0)
  await open('/devices')
  await press(page, 'Add device')
  assert.deepEqual(await page.getByRole('radio').count(), 2, 'no SIM cards')
  assert.deepEqual(troubles(), [])
}
