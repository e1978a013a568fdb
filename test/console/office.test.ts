import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import { needs } from '#test/peers/debian.ts'
import { until } from '#test/machine/peer-process.ts'
import { pdfOf } from '#test/fax/pdf-documents.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { seriousViolations } from './accessibility.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, type Visitor } from './visitor.ts'

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
const dialog = (page: Page) => page.getByRole('dialog')
/** Labels of the steps in a drawn progress, with their state. */
const drawn = async (page: Page, label: string): Promise<string[]> => {
  const steps = await page.getByRole('list', { name: label }).getByRole('listitem').allInnerTexts()
  return steps.map((step) => step.replaceAll(/\s+/g, ' '))
}

test('runs the office in the console', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([
    startService(t, { OFFHOOK_SPEECH: 'off', OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }),
    openBrowser(t),
  ])
  const visitor = await openVisitor(browser, service)
  await visitor.logIn()

  await t.test('orders a number from stock, assigns it immediately and returns it', () => orderNumber(visitor, service))
  await t.test('faxes a PDF, shows its progress and the received copy', () => faxAndRead(visitor, service))
  await t.test('sends, answers and schedules a message', () => writeMessages(visitor, service))
  await t.test('orders and activates a SIM card', () => orderAndUseSim(visitor, service))
  await t.test('draws a porting from its start to its date', () => bringNumber(visitor, service))
  await t.test('shows why a porting was rejected, and corrects it', async (scope) =>
    correctRefused(visitor, service, await otherCarrier(scope)),
  )
})

/** Routes a number of the demo account to one of its lines. */
const leadNumber = async ({ api, operator, notes }: Service, number: string, endpointId: string): Promise<void> => {
  const { id: numberId } = await operator.assignNumber({}, { accountId: notes.accountId, number })
  await api.changeNumber({ numberId }, { endpointId })
}

const orderNumber = async ({ page, open, troubles }: Visitor, { api, operator }: Service): Promise<void> => {
  await operator.addStock({}, { numbers: ['+4915799912301', '+4915799912302'] })
  await open('/numbers')
  await press(page, 'Order a number')
  await page.getByLabel('Area code or digits').fill('0157 999 12302')
  await page.getByRole('combobox', { name: 'Number' }).click()
  const offers = page.getByRole('option')
  await page.getByRole('option', { name: /12301/ }).waitFor({ state: 'detached' })
  await offers.first().click()
  await page.getByRole('switch', { name: 'Assign it right away' }).press('Space')
  await press(page, 'Order')
  const { id: numberId } = await until('the number', async () =>
    (await api.listNumbers()).items.find(({ number }) => number.endsWith('302')),
  )
  assert.notEqual((await api.getNumber({ numberId })).endpointId, '')
  await page
    .getByRole('row', { name: /9991 2302/ })
    .getByRole('button', { name: /Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: 'Give number back' }).click()
  await dialog(page).getByRole('button', { name: 'Give number back' }).click()
  await page.getByText('Number given back.').waitFor()
  await assert.rejects(api.getNumber({ numberId }), { status: 404 })
  assert.deepEqual(troubles(), [])
}

const faxAndRead = async ({ page, open, troubles }: Visitor, service: Service): Promise<void> => {
  await leadNumber(service, '+442079460124', 'f0')
  await open('/fax')
  const file = page.locator('input[type=file]')
  await file.setInputFiles({ name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('no PDF') })
  await page.getByText('This is not a PDF.').waitFor()
  const pages = ['Dear Sir', 'Yours'].map((words) => ({ content: `BT /F 24 Tf 60 760 Td (${words}) Tj ET` }))
  await file.setInputFiles({ name: 'letter.pdf', mimeType: 'application/pdf', buffer: pdfOf(pages) })
  await page.getByRole('textbox', { name: 'To' }).fill('+44 20 7946 0124')
  await press(page, 'Send fax')
  await page.getByText('Sent · 2 of 2 pages confirmed').waitFor()
  assert.deepEqual(await drawn(page, 'Progress of the fax to +44 20 7946 0124'), [
    'Accepted (done)',
    'Waiting (done)',
    'Sending (done)',
    'Sent (done)',
  ])
  const received = page.getByRole('row', { name: /Received/ })
  await received.waitFor()
  assert.deepEqual(await seriousViolations(page), [])

  await received.getByRole('button').click()
  await dialog(page).getByRole('img', { name: 'First page of the fax' }).waitFor()
  const download = page.waitForEvent('download')
  await press(page, 'Save PDF')
  assert.match((await download).suggestedFilename(), /^fax-in-.*\.pdf$/)
  assert.equal(await dialog(page).getByRole('button', { name: 'Send again' }).count(), 0, 'what was received is not sent again')
  await press(page, 'Close')

  await page.getByRole('row', { name: /Sent/ }).getByRole('button').click()
  await dialog(page).getByRole('button', { name: 'Save report' }).waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await press(page, 'Send again')
  await page.getByRole('row', { name: /Sent/ }).nth(1).waitFor()

  await page.getByRole('tab', { name: 'Fax lines' }).click()
  await page.getByLabel('Header').fill('Demo Ltd')
  await press(page, 'Save')
  await page.getByText('Saved.').waitFor()
  assert.equal((await service.api.getFaxline({ userId: 'w0', faxlineId: 'f0' })).tagline, 'Demo Ltd')
  assert.deepEqual(troubles(), [])
}

const writeMessages = async ({ page, open, troubles }: Visitor, service: Service): Promise<void> => {
  await leadNumber(service, '+4915112345678', 's0')
  await open('/sms')
  await press(page, 'New message')
  await page.getByRole('textbox', { name: 'To' }).fill('0151 12345678')
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('a'.repeat(161))
  await page.getByText('2 messages, 145 characters left').waitFor()
  await message.fill('Good morning')
  await page.getByText('1 message, 148 characters left').waitFor()
  await press(page, 'Send')
  // The number belongs to the account: it is shown under the name of the colleague with that line.
  const thread = page.getByRole('list', { name: 'Messages with Demo Admin' })
  await thread.getByText('Delivered', { exact: true }).waitFor()
  assert.equal(await thread.getByText('Good morning').count(), 2, 'sent, and received by the same number')

  await page.getByRole('switch', { name: 'Send later' }).check()
  await message.fill('See you')
  await page.getByLabel('When').fill(new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 16))
  await press(page, 'Schedule')
  await thread.getByText('Scheduled', { exact: true }).waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await press(page, 'Delete message')
  await dialog(page).getByRole('button', { name: 'Delete message' }).click()
  await thread.getByText('See you').waitFor({ state: 'detached' })

  await page.getByRole('tab', { name: 'Lines and senders' }).click()
  await press(page, 'Add sender')
  await dialog(page).getByLabel('Number').fill('+49 151 12345678')
  await press(page, 'Send code')
  await dialog(page)
    .getByLabel('Code')
    .fill(await codeIn(service))
  await press(page, 'Confirm')
  await page.getByRole('row', { name: /\+49 151 1234 5678 Confirmed/ }).waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  assert.deepEqual(troubles(), [])
}

/** The verification code sent to a local number is in the history of its owner. */
const codeIn = ({ api }: Service): Promise<string> =>
  until('a code', async () => {
    const { items } = await api.listOwnHistory({ types: ['SMS'] })
    return items.map(({ smsContent = '' }) => /^(\d{4,8}) is your code/.exec(smsContent)?.[1]).find((one) => one !== undefined)
  })

const orderAndUseSim = async ({ page, open, troubles }: Visitor, { api, operator }: Service): Promise<void> => {
  await open('/sims')
  await page.getByText('No mobile devices yet').waitFor()
  await api.createUserDevice({ userId: 'w0' }, { type: 'MOBILE', alias: 'Pocket' })
  await open('/sims')
  await press(page, 'Order SIM card')
  await dialog(page).getByRole('button', { name: 'Order SIM card' }).dblclick()
  await page.getByText('SIM on its way').waitFor()
  const way = await drawn(page, 'Order for Pocket')
  assert.match(way[0] ?? '', /^Ordered \(now\)/)
  assert.deepEqual(way.slice(1), ['Packed (to come)', 'Shipped (to come)', 'Delivered (to come)', 'In use (to come)'])

  const iccid = '8949012345678901234'
  await operator.addSimCard({}, { iccid, puk1: '12345678', puk2: '87654321' })
  const { items: orders } = await operator.listAllSimOrders()
  assert.equal(orders.length, 1, 'who clicks twice has ordered once')
  const orderId = orders[0]?.id ?? ''
  await operator.moveSimOrder({ orderId }, { event: 'pick', iccid })
  await operator.moveSimOrder({ orderId }, { event: 'ship' })
  await open('/sims')
  assert.match((await drawn(page, 'Order for Pocket'))[2] ?? '', /^Shipped \(now\)/)
  await press(page, 'Activate a card')
  assert.equal(await dialog(page).getByLabel('Card number (ICCID)').inputValue(), iccid, 'the card that was sent')
  await dialog(page).getByRole('button', { name: 'Activate a card' }).click()
  await page.getByText('SIM active', { exact: true }).waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await press(page, 'Deactivate')
  await press(page, 'Deactivate card')
  await page.getByText('No active SIM', { exact: true }).waitFor()
  assert.deepEqual(troubles(), [])
}

const bringNumber = async ({ page, open, troubles }: Visitor, { api, operator }: Service): Promise<void> => {
  await open('/portings')
  await press(page, 'Port numbers')
  const form = dialog(page)
  await form.getByPlaceholder('+49 30 1234567').fill('+49 30 23125998')
  await form.getByRole('textbox', { name: 'Name' }).fill('Demo')
  await form.getByRole('combobox', { name: 'Use a saved address' }).or(form.getByLabel('Use a saved address')).first().click()
  await page.getByRole('option').first().click()
  await form.getByRole('button', { name: 'Port numbers' }).click()
  const way = 'Progress of +49 30 2312 5998'
  await page.getByRole('list', { name: way }).waitFor()
  const ahead = ['Date agreed (to come)', 'Switchover (to come)', 'Complete (to come)']
  assert.deepEqual(await drawn(page, way), ['Signed form (now)', 'Request sent (to come)', ...ahead])

  const portingId = String((await api.listPortings()).items[0]?.id)
  await operator.applyPortingEvent({ portingId }, { event: 'form_received' })
  await operator.applyPortingEvent({ portingId }, { event: 'form_agreed', portDate: '2099-12-02' })
  await open('/portings')
  await page.getByText('The data exchange starts on 1 Dec 2099. From 2 Dec 2099, the numbers ring here.', { exact: false }).waitFor()
  assert.deepEqual(await drawn(page, way), [
    'Consent given (done)',
    'Request sent (done)',
    'Date agreed (now)',
    'Switchover (to come)',
    'Complete (to come) 2 Dec 2099',
  ])
  assert.deepEqual(await seriousViolations(page), [])

  const signed = { name: 'form.pdf', mimeType: 'application/pdf', buffer: pdfOf([{ content: 'BT /F 24 Tf 60 760 Td (Signed) Tj ET' }]) }
  await page.locator('input[type=file]').setInputFiles(signed)
  await page.getByRole('button', { name: /^form\.pdf/ }).waitFor()
  assert.deepEqual(
    (await operator.readPorting({ portingId })).documents.map(({ name }) => name),
    ['form.pdf'],
  )

  await press(page, 'Withdraw')
  await dialog(page).getByText('must confirm the withdrawal', { exact: false }).waitFor()
  await press(page, 'Withdraw porting')
  await page.getByText('The current provider has been asked to confirm the withdrawal.').waitFor()
  await page.getByText('Withdrawal requested', { exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Withdraw', exact: true }).count(), 0, 'once is enough')
  await operator.applyPortingEvent({ portingId }, { event: 'cancel_confirmed' })
  await open('/portings')
  await page.getByRole('row', { name: /\+49 30 2312 5998 Cancelled/ }).waitFor()
  assert.deepEqual(troubles(), [])
}

/** Accepts every message; the operator plays the other carrier's decisions. */
const otherCarrier = async (t: Scope): Promise<string> =>
  `http://${await startLoopbackServer(t, (_request, reply) => reply.writeHead(204).end())}`

const correctRefused = async ({ page, open, troubles }: Visitor, { api, operator }: Service, url: string): Promise<void> => {
  await operator.createCarrier({}, { code: 'PEER', name: 'Peer', url })
  const holder = { name: 'Demo', street: 'Musterstraße', number: '1', postcode: '10115', city: 'Berlin', country: 'DE' }
  const { id } = await api.startPorting({}, { numbers: ['+493023125997'], holder, email: 'holder@example.com', carrier: 'PEER' })
  const portingId = String(id)
  await open('/portings')
  await page.getByText(/The link works until \d+ \w+ \d{4}/).waitFor()
  await operator.applyPortingEvent({ portingId }, { event: 'optin_clicked' })
  await until('the carrier was asked', async () => (await api.getPorting({ portingId })).status === 250)
  await operator.applyPortingEvent({ portingId }, { event: 'request_rejected', codes: ['8112'] })
  await open('/portings')
  await page.getByText('The account holder does not match.').waitFor()
  assert.deepEqual((await drawn(page, 'Progress of +49 30 2312 5997')).slice(2, 3), ['Request sent (failed)'])
  assert.deepEqual(await seriousViolations(page), [])
  await press(page, 'Correct details')
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Demo Ltd')
  await dialog(page).getByLabel('Use a saved address').first().click()
  await page.getByRole('option').first().click()
  await dialog(page).getByRole('button', { name: 'Correct details' }).click()
  await page.getByText('Waiting for consent', { exact: true }).waitFor()
  assert.equal((await operator.readPorting({ portingId })).holder.name, 'Demo Ltd')
  assert.deepEqual(troubles(), [])
}
