import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openTalk } from '#cli/say/typed-talk.ts'
import { needs } from '#test/peers/debian.ts'
import { until } from '#test/machine/peer-process.ts'
import { finishedTalk } from './examples.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, type Visitor } from './visitor.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const dialog = (page: Page) => page.getByRole('dialog')
const fill = (page: Page, label: string, value: string) => dialog(page).getByLabel(label, { exact: false }).first().fill(value)
const pick = async (page: Page, name: string, action: string): Promise<void> => {
  await press(page, `Actions for ${name}`)
  await page.getByRole('menuitem', { name: action }).click()
}

test('runs the operator pages in the console', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  await finishedTalk(service) // the charts will include it
  const visitor = await openVisitor(browser, service)
  await visitor.logIn('operator')
  await t.test('creates an account: shows its password once, tops it up and allows outbound calls', () => newAccount(visitor, service))
  await t.test('searches accounts on the server', () => search(visitor))
  await t.test("shows a trunk's errors at the field; changes and deletes it", () => trunk(visitor, service))
  await t.test('creates a tariff with a rate', () => tariff(visitor, service))
  await t.test('advances a porting', () => porting(visitor, service))
  await t.test('lists all of it in the audit log, and verifies the log', () => audit(visitor))
  await t.test('drains a process and puts it back', () => drain(visitor, service))
  await t.test('shows the call in the charts', () => charts(visitor))
})

const newAccount = async ({ page, open, troubles }: Visitor, { api, operator }: Service): Promise<void> => {
  await open('/operator/accounts')
  await press(page, 'Create account')
  await fill(page, 'Company', 'Müller & Söhne')
  await fill(page, 'First name', 'Mia')
  await fill(page, 'Last name', 'Müller')
  await fill(page, 'Email', 'mia@example.com')
  await dialog(page).getByRole('button', { name: 'Create account' }).click()
  const password = await dialog(page).locator('code').nth(1).innerText()
  const { token } = await api.logIn({}, { client_id: 'test', grant_type: 'password', username: 'mia@example.com', password })
  assert.ok(token, 'with that password the administrator gets in')
  await press(page, 'I have saved it')
  await page.getByRole('heading', { name: 'Müller & Söhne', level: 1 }).waitFor()
  const account = (await operator.listAccounts()).items.find(({ company }) => company === 'Müller & Söhne')
  const { id: accountId } = account ?? { id: '' }

  await press(page, 'Top up')
  await fill(page, 'Amount', '12,34')
  await dialog(page)
    .getByText(/Enter an amount such as 12\.34/)
    .waitFor()
  assert.equal(await dialog(page).getByRole('button', { name: 'Top up' }).isDisabled(), true)
  await fill(page, 'Amount', '12.34')
  await fill(page, 'Reason', 'paid')
  await dialog(page).getByRole('button', { name: 'Top up' }).click()
  const question = page.getByRole('dialog', { name: 'Book €12.34?' })
  await question.getByText(/The new balance will be €12\.34/).waitFor()
  await page.keyboard.press('Escape')
  assert.equal((await operator.readBalance({ accountId })).amount, 0, 'nothing is booked unasked')
  assert.equal(await dialog(page).getByLabel('Amount').inputValue(), '12.34')
  await dialog(page).getByRole('button', { name: 'Top up' }).click()
  await question.getByRole('button', { name: 'Top up' }).click()
  await page.getByRole('row', { name: /paid.*€12\.34/ }).waitFor()
  assert.equal((await operator.readBalance({ accountId })).amount, 123_400)

  await press(page, 'Decide')
  await fill(page, 'Reviewer', 'Olga')
  await fill(page, 'Reason', 'reminders of appointments')
  await dialog(page).getByRole('button', { name: 'Decide' }).click()
  await page.getByRole('row', { name: /Olga.*reminders/ }).waitFor()
  assert.equal((await operator.readAccount({ accountId })).outboundEnabled, true)

  await page.getByLabel('Call webhooks (svcio)').click({ force: true })
  await until('it is booked', async () => (await operator.listAccountFeatures({ accountId })).items.includes('SVCIO'))
  await press(page, 'Add device')
  await fill(page, 'Name', 'Desk')
  await dialog(page).getByRole('button', { name: 'Add device' }).click()
  await page.getByRole('row', { name: /Desk.*SIP phone.*Mia Müller/ }).waitFor()
  await press(page, 'Add group')
  await fill(page, 'Name', 'Sales')
  await dialog(page).getByRole('combobox', { name: 'Add member' }).click()
  await page.getByRole('option', { name: 'Mia Müller' }).click()
  await dialog(page).getByRole('button', { name: 'Add group' }).click()
  await page.getByRole('row', { name: /Sales.*Mia Müller/ }).waitFor()
  assert.deepEqual((await operator.listAccountGroups({ accountId })).items[0]?.members, ['w0'])
  assert.deepEqual(troubles(), [])
}

/** Searches on the server, so that accounts are found regardless of their number. */
const search = async ({ page, open, troubles }: Visitor): Promise<void> => {
  await open('/operator/accounts')
  await page.getByRole('row', { name: /Demo/ }).waitFor()
  await page.getByRole('searchbox', { name: 'Find by name or number' }).fill('MÜLLER')
  await page.getByRole('row', { name: /Demo/ }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Müller & Söhne/ }).waitFor()
  await open('/operator/numbers')
  const account = page.getByRole('combobox', { name: 'Account' })
  await account.fill('söhn')
  await page.getByRole('option', { name: 'Demo' }).waitFor({ state: 'detached' })
  await page.getByRole('option', { name: /Müller & Söhne/ }).click()
  await page.getByText('No matching numbers').waitFor()
  assert.match(await account.inputValue(), /^Müller & Söhne \(\d{7}\)$/)
  assert.deepEqual(troubles(), [])
}

const trunk = async ({ page, open, troubles }: Visitor, { operator }: Service): Promise<void> => {
  await open('/operator/trunks')
  await page.getByRole('button', { name: 'Add trunk' }).first().click()
  await fill(page, 'Name', 'Carrier')
  await fill(page, 'Host', 'not a host')
  await dialog(page).getByRole('button', { name: 'Add trunk' }).click()
  await dialog(page).getByText('This must be a host name or an IP address, without a port.').waitFor()
  await dialog(page).getByText('Please check the highlighted fields.').waitFor()
  assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-invalid")'), 'true', 'one can correct it at once')
  await fill(page, 'Host', '127.0.0.1')
  await fill(page, 'Addresses of the carrier', '192.0.2.0/24\n198.51.100.7')
  await dialog(page).getByRole('button', { name: 'Add trunk' }).click()
  await page.getByRole('row', { name: /Carrier/ }).waitFor()
  const [made] = (await operator.listTrunks()).items
  assert.deepEqual(made?.sourceAddresses, ['192.0.2.0/24', '198.51.100.7'])

  await pick(page, 'Carrier', 'Edit')
  await fill(page, 'Name', 'Other carrier')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /Other carrier/ }).waitFor()
  await pick(page, 'Other carrier', 'Delete')
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No trunks yet').waitFor()
  assert.deepEqual((await operator.listTrunks()).items, [])
  assert.ok(troubles().every((trouble) => /status of 400/.test(trouble)))
}

const tariff = async ({ page, open, troubles }: Visitor, { operator }: Service): Promise<void> => {
  await open('/operator/tariffs')
  await press(page, 'Create tariff')
  await fill(page, 'Name', 'Small')
  await fill(page, 'Id', 'small')
  await dialog(page).getByRole('button', { name: 'Create tariff' }).click()
  await page.getByRole('heading', { name: 'Small', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Add rate' }).first().click()
  await fill(page, 'Prefix', '49')
  await fill(page, 'Per minute', '0.019')
  await dialog(page).getByRole('button', { name: 'Add rate' }).click()
  await page.getByRole('row', { name: /\+49.*€0\.0190 per minute/ }).waitFor()
  const [rate] = (await operator.listRates({ tariffId: 'small' })).items
  assert.deepEqual([rate?.prefix, rate?.ratePerMinute, rate?.service], ['49', 190, 'CALL'])
  assert.deepEqual(troubles(), [])
}

const porting = async ({ page, open, troubles }: Visitor, { operator, notes }: Service): Promise<void> => {
  const holder = { name: 'Demo', street: 'Musterstraße', number: '1', postcode: '10115', city: 'Berlin', country: 'DE' }
  const input = { accountId: notes.accountId, numbers: ['+493023125999'], holder, email: 'holder@example.com' }
  const { id } = await operator.createPorting({}, input)
  await open(`/operator/portings/${id}`)
  await page.getByText('Signed form missing').first().waitFor()
  await press(page, 'Signed form arrived')
  await dialog(page).getByRole('button', { name: 'Save entry' }).click()
  await page.getByRole('button', { name: 'Carrier agreed to the form' }).click()
  await fill(page, 'Agreed date', '2030-05-06')
  await dialog(page).getByRole('button', { name: 'Save entry' }).click()
  await page.getByText('Date agreed', { exact: true }).first().waitFor()
  const { status, portDate } = await operator.readPorting({ portingId: String(id) })
  assert.deepEqual([status, portDate], [400, '2030-05-06'])
  assert.deepEqual(troubles(), [])
}

const audit = async ({ page, open, troubles }: Visitor): Promise<void> => {
  await open('/operator/audit')
  await page.getByRole('row', { name: /Trunk deleted/ }).waitFor()
  await press(page, 'Verify log')
  await page.getByText(/Nothing was changed/).waitFor()
  assert.deepEqual(troubles(), [])
}

const drain = async ({ page, open, troubles }: Visitor, { api, operator, notes }: Service): Promise<void> => {
  await open('/operator/nodes')
  const [node] = (await operator.listNodes()).items
  const name = `${node?.name} (${node?.http.replace('http://', '')})`
  await pick(page, name, 'Drain')
  await dialog(page)
    .getByText(/No other process is taking calls/)
    .waitFor()
  await press(page, 'Drain')
  await page.getByText('Drained', { exact: true }).waitFor()
  await assert.rejects(api.startTalk({ aiFlowId: notes.flowId }, { audio: false }), { status: 503 }, 'no process takes it')
  await pick(page, name, 'Take calls again')
  await page.getByText('Taking calls', { exact: true }).waitFor()
  // The caller hangs up as soon as the assistant has answered.
  const talk = await openTalk({ api }, notes.flowId, ({ type }) => type === 'answered' && talk.send({ type: 'hangup' }))
  assert.equal((await talk.ended).reason, 'caller_hangup')
  assert.deepEqual(troubles(), [])
}

const charts = async ({ page, open, troubles }: Visitor): Promise<void> => {
  await open('/operator')
  await page.getByRole('img', { name: /^Calls per second: highest value/ }).waitFor()
  await page.getByRole('img', { name: /^Assistant response time: highest value [\d.]+ ms/ }).waitFor()
  await page.getByText('100 % answered').waitFor()
  assert.deepEqual(troubles(), [])
}
