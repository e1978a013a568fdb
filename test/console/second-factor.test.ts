import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

const run = promisify(execFile)

/** Code of a third-party authenticator; `later` (seconds) is for codes that were just used. */
const codeOf = async (secret: string, later = 0): Promise<string> => {
  const at = `@${Math.floor(Date.now() / 1000) + later}`
  return (await run('oathtool', ['--totp', '--base32', '--now', at, secret])).stdout.trim()
}

const passwordStep = async (page: Page, email: string, password: string): Promise<void> => {
  await page.locator('input[autocomplete="username"]').fill(email)
  await page.locator('input[autocomplete="current-password"]').fill(password)
  await page.locator('button[type="submit"]').click()
}

const shownCodes = (page: Page): Promise<string[]> =>
  page
    .getByRole('listitem')
    .filter({ hasText: /^\w{5}-\w{5}$/ })
    .allInnerTexts()

test('uses a second factor in the browser', async (t) => {
  if (!(await needs(t, 'chromium')) || !(await needs(t, 'oathtool'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const { notes } = service
  let secret = ''
  let codes: string[] = []

  await t.test('sets up an app and stores the recovery codes', async () => {
    const { page, logIn, open, troubles } = await openVisitor(browser, service)
    await logIn()
    await open('/security')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    secret = await page.getByRole('dialog').locator('code').first().innerText()
    assert.match(secret, /^[A-Z2-7]{32}$/)
    assert.deepEqual(await seriousViolations(page), [])
    await page.getByLabel('Code that the app shows').fill(await codeOf(secret))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('button', { name: 'I have saved them' }).waitFor()
    codes = await shownCodes(page)
    assert.equal(codes.length, 10)
    assert.deepEqual(await seriousViolations(page), [])
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByText('10 codes left').waitFor()
    assert.deepEqual(troubles(), [])
    await page.context().close()
  })

  assert.equal(codes.length, 10, 'without them nothing else can be tried')

  await t.test('asks for the code at login, also in German; accepts a recovery code', async () => {
    const { page, open } = await openVisitor(browser, service, { language: 'de' })
    await open('/')
    await passwordStep(page, notes.email, notes.password)
    await page.getByText('Dein Konto hat einen zweiten Faktor', { exact: false }).waitFor()
    assert.deepEqual(await seriousViolations(page), [])
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.getByText('Der Code ist falsch', { exact: false }).waitFor()
    await page.getByLabel('Code').fill(await codeOf(secret, 30))
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.locator('#content').waitFor()
    await page.context().close()

    const second = await openVisitor(browser, service)
    await second.open('/')
    await passwordStep(second.page, notes.email, notes.password)
    await second.page.getByLabel('Code').fill(codes[0] ?? '')
    await second.page.getByRole('button', { name: 'Log in', exact: true }).click()
    await second.page.locator('#content').waitFor()
    await second.open('/security')
    await second.page.getByText('9 codes left').waitFor()
    await second.page.getByRole('switch', { name: 'Require a second factor for everyone in this account' }).click()
    await second.page.getByText('Saved').waitFor()
    await second.page.context().close()
  })

  await t.test('makes a user set up a required second factor before anything else', async () => {
    const bob = { email: 'bob@offhook.local', password: 'correct horse battery staple' }
    await service.operator.createUser({}, { accountId: notes.accountId, firstname: 'Bob', lastname: 'New', ...bob })
    const { page, open } = await openVisitor(browser, service)
    await open('/')
    await passwordStep(page, bob.email, bob.password)
    await page.getByText('A second factor is required here.', { exact: false }).waitFor()
    const key = await page.locator('code').first().innerText()
    assert.deepEqual(await seriousViolations(page), [])
    await page.getByLabel('Code that the app shows').fill(await codeOf(key))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByRole('heading', { name: /^Hello/ }).waitFor()
    await page.context().close()
  })

  await t.test("sets up and removes the operator's second factor", async () => {
    const { page, logIn, open, troubles } = await openVisitor(browser, service)
    await logIn('operator')
    await open('/operator/security')
    await page.getByRole('button', { name: 'Set up' }).click()
    const key = await page.getByRole('dialog').locator('code').first().innerText()
    await page.getByLabel('Code that the app shows').fill(await codeOf(key))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Not set up').waitFor()
    assert.deepEqual(troubles(), [])
    await page.context().close()
  })
})
