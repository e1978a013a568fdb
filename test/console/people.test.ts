import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

const password = 'a good and own password'
const better = 'another good and own one'

const logIn = async (page: Page, email: string, secret: string): Promise<void> => {
  await page.locator('input[autocomplete="username"]').fill(email)
  await page.locator('input[autocomplete="current-password"]').fill(secret)
  await page.locator('button[type="submit"]').click()
}

test('invites a user, applies the role, changes the password and removes the user', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const admin = await openVisitor(browser, service)
  const { page: desk } = admin
  await admin.logIn()
  await admin.open('/users')
  await desk.getByRole('button', { name: 'Invite person' }).click()
  const form = desk.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Email' }).fill('grace@example.com')
  await form.getByRole('combobox', { name: 'Role' }).click()
  await desk.getByRole('option', { name: 'Billing' }).click()
  await form.getByText('can see what the account spends').waitFor()
  assert.deepEqual(await seriousViolations(desk), [])
  await form.getByRole('button', { name: 'Send invitation' }).click()
  const link = await desk.getByRole('dialog').locator('code').innerText()
  assert.match(link, /\/console\/invitation\/[\w-]{43}$/)
  await desk.getByRole('button', { name: /I have \w+ it/ }).click()
  await desk.getByRole('region', { name: 'Invited' }).getByText('grace@example.com').waitFor()

  const grace = await openVisitor(browser, service, { language: 'de' })
  const { page } = grace
  await grace.open(new URL(link).pathname.slice('/console'.length))
  await page.getByRole('heading', { name: 'Willkommen' }).waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await page.getByLabel('Vorname').fill('Grace')
  await page.getByLabel('Nachname').fill('Hopper')
  await page.getByLabel('Passwort', { exact: true }).fill('password1234')
  await page.getByRole('button', { name: 'Loslegen' }).click()
  await page.getByText('Dieses Passwort ist weit verbreitet').waitFor()
  await page.getByLabel('Passwort', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Loslegen' }).click()
  const menu = page.getByRole('navigation')
  await menu.getByRole('link', { name: 'Kosten' }).waitFor()
  await grace.open('/flows')
  assert.equal(await page.getByRole('button', { name: /Neuer|Anlegen/ }).count(), 0, 'who does the accounts builds no assistants')

  const elsewhere = await openVisitor(browser, service)
  await elsewhere.open('/')
  await logIn(elsewhere.page, 'grace@example.com', password)
  await elsewhere.page.locator('#content').waitFor()

  await grace.open('/me')
  await page.getByLabel('Aktuelles Passwort').fill(password)
  await page.getByLabel('Neues Passwort').fill(better)
  await page.getByRole('button', { name: 'Passwort ändern' }).click()
  await page.getByText('Überall sonst bist du abgemeldet', { exact: false }).first().waitFor()
  await elsewhere.open('/me')
  await elsewhere.page.locator('input[autocomplete="current-password"]').waitFor()
  await logIn(elsewhere.page, 'grace@example.com', better)
  await elsewhere.page.getByRole('heading', { name: 'My profile' }).waitFor()
  await grace.open('/me')
  await page.getByRole('button', { name: 'Überall sonst abmelden' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Überall sonst abmelden' }).click()
  await page.getByText('Sitzung beendet').waitFor()
  await elsewhere.open('/me')
  await elsewhere.page.locator('input[autocomplete="current-password"]').waitFor()
  await page.getByRole('combobox', { name: 'Sprache' }).click()
  await page.getByRole('option', { name: 'English' }).click()
  await page.getByRole('button', { name: 'Speichern' }).first().click()
  await page.getByRole('heading', { name: 'My profile' }).waitFor()

  await admin.open('/users')
  await desk.getByRole('link', { name: 'Grace Hopper' }).click()
  await desk.getByRole('button', { name: 'Deactivate' }).click()
  await desk.getByRole('dialog').getByRole('combobox', { name: 'Phone numbers' }).waitFor()
  assert.deepEqual(await seriousViolations(desk), [])
  await desk.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
  await desk.getByText('This person is deactivated').waitFor()
  const gracesPage = desk.url()
  await admin.open('/groups')
  await desk.getByRole('button', { name: 'Add group' }).first().click()
  await desk.getByRole('combobox', { name: 'Add member' }).click()
  assert.deepEqual(await desk.getByRole('option').allInnerTexts(), ['Demo Admin'], 'who has left is not offered')
  await desk.goto(gracesPage)
  await grace.open('/')
  await page.locator('input[autocomplete="current-password"]').waitFor()
  await logIn(page, 'grace@example.com', better)
  await page.getByRole('alert').waitFor()
  await desk.getByRole('button', { name: 'Activate again' }).click()
  await desk.getByRole('button', { name: 'Deactivate' }).waitFor()

  const { items } = await service.api.listUsers()
  const userId = items.find(({ firstname }) => firstname === 'Grace')?.id ?? ''
  const { emailLink = '' } = await service.api.changeUser({ userId }, { email: 'admiral@example.com' })
  await desk.goto(emailLink)
  await desk.getByRole('button', { name: 'Confirm address' }).click()
  await desk.getByText('Done. You now log in as admiral@example.com.').waitFor()
  assert.deepEqual(await seriousViolations(desk), [])
  assert.deepEqual(admin.troubles(), [])
  await desk.reload() // the link works once
  await desk.getByRole('button', { name: 'Confirm address' }).click()
  await desk.getByRole('alert').waitFor()
})
