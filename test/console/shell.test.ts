import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@offhook/sdk'
import type { Page } from 'playwright-core'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { isFocused, pressOn, reach } from './keyboard.ts'
import { startService } from './service.ts'
import { assertFits, openBrowser, openVisitor } from './visitor.ts'

const logInAs = async (page: Page, email: string, password: string): Promise<void> => {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

test('runs the console shell', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const other = { email: 'other@offhook.local', password: 'correct horse battery staple' }
  const { accountId } = service.notes
  await service.operator.createUser({}, { accountId, firstname: 'Other', lastname: 'User', admin: true, ...other })
  const revoke = (token: string) => createClient({ baseUrl: service.http, token }).deleteSessionToken()

  await t.test('reports an unreachable service, keeps the content, and retries', async () => {
    const { page, go, logIn } = await openVisitor(browser, service)
    await logIn()
    let isGone = true
    await page.route('**/*', (route) => (isGone ? route.abort('connectionrefused') : route.continue()))
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Assistants' }).click()
    await page.getByText('This page could not be loaded').waitFor()
    isGone = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Demo' }).click()
    await page.getByRole('heading', { name: 'Demo' }).waitFor()
    isGone = true
    await go('/flows/another')
    await page.getByText('The service does not answer.', { exact: false }).waitFor()
    isGone = false
    await page.getByText('The service does not answer.', { exact: false }).waitFor({ state: 'detached' })
    await page.getByText('This no longer exists').waitFor()
    await page.context().close()
  })

  await t.test('shows a wrong password at the form; the right one opens the requested page', async () => {
    const { page, open, troubles } = await openVisitor(browser, service)
    await open('/nowhere?x=1')
    assert.match(await page.title(), /^Log in/)
    assert.deepEqual(await seriousViolations(page), [])
    await logInAs(page, service.notes.email, 'wrong')
    await page.getByRole('alert').waitFor()
    assert.match(await page.getByRole('alert').innerText(), /credentials/i)
    assert.match(troubles().join(), /401|400/, 'Chromium itself complains about the refusal')
    await page.getByRole('textbox', { name: 'Password' }).fill(service.notes.password)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/console/nowhere')
    assert.deepEqual(troubles(), [])
  })

  await t.test('sends a mail for a forgotten password; dialogs comply with the content security policy', async () => {
    const { page, open, troubles } = await openVisitor(browser, service)
    await open('/')
    await page.getByRole('button', { name: 'Forgot your password?' }).click()
    await page.getByRole('dialog').getByLabel('Email').fill('nobody@offhook.local')
    assert.deepEqual(await seriousViolations(page), [])
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText('an email with a link is on its way').waitFor()
    assert.deepEqual(troubles(), [])
  })

  await t.test('revokes the token on log-out, in every tab', async () => {
    const { page, logIn } = await openVisitor(browser, service)
    await logIn()
    const other = await page.context().newPage()
    await other.goto(`${service.http}/console/`)
    await other.getByRole('heading', { name: /^Hello/ }).waitFor()
    const token = await page.evaluate<string>("localStorage.getItem('offhook.token.user')")
    const ask = () => fetch(`${service.http}/v1/account`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal((await ask()).status, 200)
    await page.getByRole('button', { name: /Demo/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByLabel('Email').waitFor()
    await other.getByLabel('Email').waitFor()
    assert.equal((await ask()).status, 401)
  })

  await t.test('ends the login with the tab without "stay logged in"', async () => {
    const { page, open } = await openVisitor(browser, service)
    await open('/')
    await page.getByLabel('Email').fill(service.notes.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(service.notes.password)
    await page.getByLabel('Stay logged in on this device').uncheck()
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.getByRole('heading', { name: /^Hello/ }).waitFor()
    assert.equal(await page.evaluate("localStorage.getItem('offhook.token.user')"), null)
    await page.reload()
    await page.getByRole('heading', { name: /^Hello/ }).waitFor()
  })

  await t.test('shows the login with the reason when the token is no longer valid', async () => {
    const { page, logIn, open } = await openVisitor(browser, service, { language: 'de' })
    await logIn()
    await revoke(await page.evaluate<string>("localStorage.getItem('offhook.token.user')"))
    await open('/')
    await page.getByText('Du wurdest abgemeldet').waitFor()
  })

  await t.test('restores a half-filled form for the user whose token expired, and for no other', async () => {
    const { page, logIn, open } = await openVisitor(browser, service)
    await logIn()
    await open('/groups')
    await page.getByRole('button', { name: 'Add group' }).first().click()
    const name = page.getByRole('dialog').getByLabel('Name')
    const loseToken = async (): Promise<void> => {
      await revoke(await page.evaluate<string>("localStorage.getItem('offhook.token.user')"))
      await page.getByRole('dialog').getByRole('button', { name: 'Add group' }).click()
      await page.getByText('You were logged out').waitFor()
      assert.equal(await page.getByRole('heading', { name: 'Groups' }).isVisible(), false, 'nothing of it is shown meanwhile')
      assert.equal(await name.isVisible(), false)
    }
    await name.fill('Half a gr')
    await loseToken()
    await logInAs(page, service.notes.email, service.notes.password)
    await name.waitFor()
    assert.equal(await name.inputValue(), 'Half a gr')
    await name.fill('A whole group')

    await loseToken()
    await logInAs(page, other.email, other.password)
    await page.getByRole('button', { name: 'Other User' }).waitFor()
    await page.getByRole('heading', { name: 'Groups' }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  await t.test('shows no data of the previous user to the next one, in any tab', async () => {
    const { page, logIn } = await openVisitor(browser, service)
    await logIn()
    const second = await page.context().newPage()
    await second.goto(`${service.http}/console/`)
    await second.getByRole('heading', { name: 'Hello, Demo' }).waitFor()
    await page.getByRole('button', { name: /Demo/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await second.getByLabel('Email').waitFor()
    // The service is silent from here on: everything shown comes from the cache.
    await second.route('**/v1/**', () => undefined)
    await logInAs(page, other.email, other.password)
    await page.getByRole('heading', { name: 'Hello, Other' }).waitFor()
    await second.getByRole('button', { name: '…' }).waitFor()
    assert.equal(await second.getByText('Demo').count(), 0)
  })

  await t.test('remembers the chosen language and appearance', async () => {
    const { page, logIn, troubles } = await openVisitor(browser, service)
    await logIn()
    await page.getByRole('button', { name: /^Language/ }).click()
    await page.getByRole('menuitem', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: /^Hallo/ }).waitFor()
    await page.getByRole('button', { name: /^Darstellung/ }).click()
    await page.getByRole('menuitem', { name: 'Dunkel' }).click()
    await page.reload()
    await page.getByRole('heading', { name: /^Hallo/ }).waitFor()
    assert.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), 'dark')
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    assert.deepEqual(troubles(), [])
  })

  await t.test('puts the navigation behind a button on a phone, and closes it after a choice', async () => {
    const { page, logIn, troubles } = await openVisitor(browser, service, { viewport: { width: 360, height: 740 } })
    await logIn()
    const entry = page.getByRole('navigation').getByRole('link', { name: 'Start' })
    await assertFits(page, 'the start page')
    assert.equal(await entry.isVisible(), false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await entry.click()
    await entry.waitFor({ state: 'hidden' })
    assert.deepEqual(troubles(), [])
  })

  await t.test('works without a mouse: log in, talk to the assistant, look at its flow, log out', async () => {
    const { page, open, troubles } = await openVisitor(browser, service)
    await open('/')
    await page.keyboard.type(service.notes.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(service.notes.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Hello/ }).waitFor()
    await pressOn(page, page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Assistants' }))
    await pressOn(page, page.getByRole('navigation').getByRole('link', { name: 'Talk' }))
    await pressOn(page, page.getByRole('button', { name: 'Type instead of speaking' }))
    await page.getByText('In a call').waitFor()
    const line = page.getByLabel('Type a message')
    await reach(page, line)
    await page.keyboard.type('Goodbye')
    await page.keyboard.press('Enter')
    await page.getByText('The call is over').waitFor()
    await pressOn(page, page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Assistants' }))
    await pressOn(page, page.getByRole('table', { name: 'Assistants' }).getByRole('link', { name: 'Demo' }))
    await page.getByRole('heading', { level: 1, name: 'Demo' }).waitFor()
    await pressOn(page, page.getByRole('button', { name: 'Demo Admin' }))
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByLabel('Email').waitFor()
    assert.equal(await isFocused(page.getByLabel('Email')), true)
    assert.deepEqual(troubles(), [])
  })

  await t.test('reaches the content by keyboard without passing through the navigation', async () => {
    const { page, logIn } = await openVisitor(browser, service)
    await logIn()
    await page.reload()
    await page.getByRole('heading', { name: /^Hello/ }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement?.id'), 'content')
    await page.getByRole('navigation').getByRole('link', { name: 'Contacts' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
    assert.equal(await page.evaluate('document.activeElement?.id'), 'content', 'and goes on there after a page was chosen')
  })

  await t.test('hides actions that a user may not perform', async () => {
    const email = 'plain@offhook.local'
    const password = 'correct horse battery staple'
    await service.operator.createUser({}, { accountId, firstname: 'Plain', lastname: 'User', email, password, admin: false })
    const plain: typeof service = { ...service, notes: { ...service.notes, email, password } }
    const { page, logIn, open } = await openVisitor(browser, plain)
    await logIn()
    await page.getByRole('heading', { name: 'Hello, Plain' }).waitFor()
    assert.equal(await page.getByText('Balance').count(), 0)
    await open('/operator')
    await page.getByRole('heading', { name: 'Operator' }).waitFor()
  })
})
