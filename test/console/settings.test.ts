import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { authorizeUrl, consentInBrowser } from '#test/http/browser.ts'
import { needs } from '#test/peers/debian.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { seriousViolations } from './accessibility.ts'
import { finishedTalk } from './examples.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, type Visitor } from './visitor.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const dialog = (page: Page) => page.getByRole('dialog')
const inDialog = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click()

/** Value of a copy field, by its label. */
const copied = (page: Page, label: string): Promise<string> =>
  page.getByText(label, { exact: true }).locator('..').locator('code').innerText()

/** Picks an action from the menu (three dots) of a row. By key, because a notification may cover the menu. */
const fromMenu = async (page: Page, row: RegExp, action: string): Promise<void> => {
  await page.getByRole('row', { name: row }).getByRole('button').click()
  await page.getByRole('menuitem', { name: action }).press('Enter')
}

test("edits the account's settings in the console", async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_EGRESS_ALLOW: '127.0.0.0/8' }), openBrowser(t)])
  const visitor = await openVisitor(browser, service)
  await visitor.logIn()

  await t.test('accepts a personal token in the API until it is revoked', () => personalToken(visitor, service))
  await t.test('creates an OAuth client, and exchanges its secret', () => oauthClient(visitor, service))
  await t.test('lists an authorised app, and revokes it', () => connectedApp(visitor, service))
  await t.test('creates and deletes a notification about faxes', () => notification(visitor, service))
  await t.test('sets the recording rule of the account and of a number', () => recordingRule(visitor, service))
  await t.test('shortens the retention of data', () => retention(visitor, service))
  await t.test("reports a missing feature; with it, points calls at the account's software", () => callSettings(visitor, service))
  await t.test('shows a signing secret once', () => signingSecret(visitor, service))
  await t.test('delivers call notices, and redelivers failed ones', () => notices(t, visitor, service))
})

const personalToken = async ({ page, open, troubles }: Visitor, { http }: Service): Promise<void> => {
  await open('/access')
  await press(page, 'New token')
  await dialog(page).getByLabel('Name').fill('nightly report')
  await dialog(page).getByRole('combobox', { name: 'What it may do' }).or(dialog(page).getByLabel('What it may do')).first().click()
  await page.getByRole('option', { name: 'account:read', exact: true }).click()
  await page.keyboard.press('Tab') // closes the list
  assert.deepEqual(await seriousViolations(page), [])
  await inDialog(page, 'Create')
  await dialog(page).getByText('This is shown only once.', { exact: false }).waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  const login = `${await copied(page, 'Token ID (user name)')}:${await copied(page, 'Token (password)')}`
  await inDialog(page, 'I have saved it')
  await page.getByRole('row', { name: /nightly report.*account:read/ }).waitFor()

  const headers = { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
  const status = async (path: string) => (await fetch(`${http}${path}`, { headers })).status
  assert.equal(await status('/v1/account'), 200)
  assert.equal(await status('/v1/contacts'), 403, 'only what was chosen')
  await fromMenu(page, /nightly report/, 'Revoke')
  assert.deepEqual(await seriousViolations(page), [])
  await inDialog(page, 'Revoke')
  await page.getByText('No tokens yet').waitFor()
  assert.equal(await status('/v1/account'), 401)
  assert.deepEqual(troubles(), [])
}

const oauthClient = async ({ page, open, troubles }: Visitor, { api }: Service): Promise<void> => {
  await open('/access')
  await press(page, 'New client')
  await dialog(page).getByLabel('Name').fill('Dashboard')
  await dialog(page).getByLabel('Redirect URIs').first().fill('https://dashboard.example/back')
  await page.keyboard.press('Enter')
  assert.deepEqual(await seriousViolations(page), [])
  await inDialog(page, 'Create')
  const secret = await copied(page, 'Client secret')
  const clientId = await copied(page, 'Client ID')
  await inDialog(page, 'I have saved it')
  const [client] = (await api.listOauthClients()).items
  assert.deepEqual(client, { ...client, clientId, name: 'Dashboard', redirectUris: ['https://dashboard.example/back'] })

  await fromMenu(page, /Dashboard/, 'New secret')
  await inDialog(page, 'New secret')
  await dialog(page).getByText('Client secret').waitFor()
  assert.notEqual(await copied(page, 'Client secret'), secret)
  await inDialog(page, 'I have saved it')
  await fromMenu(page, /Dashboard/, 'Delete')
  await inDialog(page, 'Delete client')
  await page.getByText('No clients yet').waitFor()
  assert.deepEqual((await api.listOauthClients()).items, [])
  assert.deepEqual(troubles(), [])
}

const connectedApp = async ({ page, open, troubles }: Visitor, { http, api, notes: { email, password } }: Service): Promise<void> => {
  const back = 'https://calendar.example/back'
  const { clientId } = await api.createOauthClient({}, { name: 'Calendar', redirectUris: [back] })
  await consentInBrowser(authorizeUrl(http, { client_id: clientId, redirect_uri: back, scope: 'account:read' }), { email, password })
  await open('/access')
  const row = page.getByRole('table', { name: 'Connected apps' }).getByRole('row', { name: /Calendar.*account:read/ })
  await row.getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Revoke access' }).click()
  assert.deepEqual(await seriousViolations(page), [])
  await inDialog(page, 'Revoke access')
  await page.getByText('No connected apps').waitFor()
  assert.deepEqual((await api.listGrants()).items, [])
  await api.deleteOauthClient({ clientId })
  assert.deepEqual(troubles(), [])
}

const notification = async ({ page, open, troubles }: Visitor, { api }: Service): Promise<void> => {
  await open('/notifications')
  await press(page, 'Add notification')
  await dialog(page).getByText('Fax', { exact: true }).click()
  await dialog(page).getByText('both', { exact: true }).click()
  await dialog(page).getByLabel('Email address').fill('office@example')
  assert.deepEqual(await seriousViolations(page), [])
  await inDialog(page, 'Save')
  await dialog(page).getByText('This is not an email address.').first().waitFor()
  assert.ok(troubles().every((trouble) => trouble.includes('status of 400')))
  await dialog(page).getByLabel('Email address').fill('office@example.com')
  await inDialog(page, 'Save')
  await page.getByRole('row', { name: /Fax \(both\).*Fax Demo Admin.*Email.*office@example\.com/ }).waitFor()
  const [made] = (await api.listNotifications({ userId: 'w0' })).items
  assert.deepEqual(made, { ...made, type: 'FAX', endpointId: 'f0', direction: 'ALL', via: 'EMAIL' })
  await fromMenu(page, /office@example\.com/, 'Delete')
  await inDialog(page, 'Delete notification')
  await page.getByText('No notifications yet').waitFor()
  assert.deepEqual((await api.listNotifications({ userId: 'w0' })).items, [])
  assert.deepEqual(troubles(), [])
}

const recordingRule = async ({ page, open, troubles }: Visitor, { api, operator, notes: { accountId } }: Service): Promise<void> => {
  const { id: numberId } = await operator.assignNumber({}, { accountId, number: '+4915799912309' })
  await open('/retention')
  await page.getByLabel('Ask for consent').click()
  await page.getByRole('region', { name: 'Recording rule' }).getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal((await api.getRecordingRule()).rule, 'consent')
  await open('/numbers')
  await page
    .getByRole('row', { name: /9991 2309/ })
    .getByRole('button', { name: /Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: 'Recording rule' }).click()
  await dialog(page).getByRole('combobox', { name: 'Recording rule' }).click()
  await page.getByRole('option', { name: 'Announce', exact: true }).click()
  assert.deepEqual(await seriousViolations(page), [])
  await inDialog(page, 'Save')
  await page.getByText('Saved.').waitFor()
  assert.deepEqual(await api.getNumberRecordingRule({ numberId }), { rule: 'announce', effectiveRule: 'announce' })
  await api.setRecordingRule({}, { rule: 'none' })
  assert.deepEqual(troubles(), [])
}

const retention = async ({ page, open, troubles }: Visitor, { api, operator, notes: { accountId } }: Service): Promise<void> => {
  await open('/retention')
  const save = page.getByRole('region', { name: 'Retention' }).getByRole('button', { name: 'Save' })
  await page.getByLabel('Recordings of calls').fill('30')
  await save.click()
  assert.deepEqual(await seriousViolations(page), [])
  await inDialog(page, 'Save and delete')
  await page.getByText('Saved.').waitFor()
  assert.deepEqual((await api.getRetention()).recordings, { days: 30, maxDays: 90, effectiveDays: 30 })
  await page.getByLabel('Recordings of calls').fill('')
  await save.click()
  await page.getByRole('region', { name: 'Retention' }).getByRole('button', { name: 'Save', disabled: true }).waitFor()
  assert.equal((await operator.readAccountRetention({ accountId })).recordings.days, null)
  assert.deepEqual(troubles(), [])
}

const callSettings = async ({ page, open, troubles }: Visitor, { api, operator, notes }: Service): Promise<void> => {
  await open('/call-settings')
  await page.getByText('Not included in your plan').waitFor()
  await operator.bookAccountFeature({ accountId: notes.accountId, feature: 'SVCIO' })
  const { id: group } = await api.createGroup({}, { alias: 'Sales', members: ['w0'] })
  await open('/call-settings')
  await page.getByLabel('Address for incoming calls').fill('not an address')
  await page.getByLabel('Only certain lines and groups').click()
  await page.getByLabel('Lines and groups', { exact: true }).first().click()
  await page.getByRole('option', { name: 'Sales' }).click()
  await page.keyboard.press('Tab')
  await press(page, 'Save')
  await page.getByRole('alert').waitFor()
  assert.ok(troubles().every((trouble) => trouble.includes('status of 400')))
  await page.getByLabel('Address for incoming calls').fill('https://calls.example/in')
  await page.getByLabel('JSON', { exact: true }).click()
  await press(page, 'Save')
  await page.getByText('Saved.').waitFor()
  const whitelist = [group]
  assert.deepEqual(await api.getSvcio(), {
    incomingUrl: 'https://calls.example/in',
    outgoingUrl: '',
    log: false,
    whitelist,
    format: 'json',
  })
  await page.getByLabel('Form', { exact: true }).click()
  await Promise.all([page.waitForResponse((reply) => reply.request().method() === 'PUT'), press(page, 'Save')])
  assert.equal((await api.getSvcio()).format, 'form')
  assert.deepEqual(await seriousViolations(page), [])
  const { publicKey } = await api.getSvcioPublicKey()
  assert.equal((await page.getByText('BEGIN PUBLIC KEY').innerText()).trim(), publicKey.trim())
  assert.deepEqual(troubles(), [])
}

const signingSecret = async ({ page, troubles }: Visitor, { api }: Service): Promise<void> => {
  await press(page, 'New secret')
  const first = await copied(page, 'Secret')
  assert.match(first, /^whsec_/)
  assert.deepEqual(await seriousViolations(page), [])
  await inDialog(page, 'I have saved it')
  await page.getByRole('row', { name: /Newest.*it is deleted/ }).waitFor()
  assert.equal(await page.getByText(first).count(), 0)

  await press(page, 'New secret')
  assert.deepEqual(await seriousViolations(page), [])
  await inDialog(page, 'New secret')
  await dialog(page).getByText('This is shown only once.', { exact: false }).waitFor()
  assert.notEqual(await copied(page, 'Secret'), first)
  await inDialog(page, 'I have saved it')
  assert.equal((await api.listSvcioSecrets()).items.length, 2, 'the old one goes on beside it')
  await fromMenu(page, /Newest/, 'Delete secret')
  assert.deepEqual(await seriousViolations(page), [])
  await inDialog(page, 'Delete secret')
  await page
    .getByRole('row', { name: /Newest/ })
    .getByText('Newest')
    .waitFor()
  assert.equal((await api.listSvcioSecrets()).items.length, 1)
  assert.deepEqual(troubles(), [])
}

/** Software that subscribes to everything; `gone`: answers notices with 410. */
const software = async (t: Scope) => {
  const state = { gone: true, told: [] as string[] }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const event = new URLSearchParams(body).get('event') ?? ''
      if (event !== 'newCall' && !state.gone) state.told.push(event)
      if (event !== 'newCall') return response.writeHead(state.gone ? 410 : 204).end()
      const own = `http://${request.headers.host}/told`
      return response.setHeader('content-type', 'application/xml').end(`<Response onAnswer="${own}" onHangup="${own}"/>`)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => server.close())
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in` }
}

const notices = async (t: Scope, { page, open, troubles }: Visitor, service: Service): Promise<void> => {
  const { state, url } = await software(t)
  await service.api.setSvcio({}, { incomingUrl: url, outgoingUrl: '', log: true, whitelist: null })
  await finishedTalk(service)
  await open('/notices')
  const givenUp = page.getByRole('table', { name: 'Not delivered' })
  await givenUp.getByRole('row', { name: /hangup.*answered 410/ }).waitFor()
  await page
    .getByRole('table', { name: 'Requests' })
    .getByRole('row', { name: /newCall.*200/ })
    .waitFor()
  await givenUp
    .getByRole('row', { name: /^answer/ })
    .getByRole('button')
    .click()
  await page.getByRole('menuitem', { name: 'Details' }).click()
  await dialog(page).getByText('event = answer').waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await inDialog(page, 'Close')

  state.gone = false
  await givenUp
    .getByRole('row', { name: /^answer/ })
    .getByRole('button')
    .click()
  await page.getByRole('menuitem', { name: 'Send again' }).click()
  await page
    .getByRole('table', { name: 'Requests' })
    .getByRole('row', { name: /answer.*204/ })
    .waitFor()
  assert.deepEqual(state.told, ['answer'])
  assert.deepEqual(troubles(), [])
}
