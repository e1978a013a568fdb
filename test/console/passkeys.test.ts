import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

/** Chromium's virtual security key, which confirms every request, so that the WebAuthn implementation is not the test's own. */
const plugIn = async (page: Page): Promise<void> => {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'usb', automaticPresenceSimulation: true } as const
  await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
}

const passwordStep = async (page: Page, { email, password }: { email: string; password: string }): Promise<void> => {
  await page.locator('input[autocomplete="username"]').fill(email)
  await page.locator('input[autocomplete="current-password"]').fill(password)
  await page.locator('button[type="submit"]').click()
}

const logOut = async (page: Page): Promise<void> => {
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
}

test('uses passkeys in the browser', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const named = { ...service, http: service.http.replace('127.0.0.1', 'localhost') }

  await t.test('explains at an IP address where passkeys work', async () => {
    const { page, logIn, open, troubles } = await openVisitor(browser, service)
    await logIn()
    await open('/security')
    const link = page.getByRole('link', { name: `Open ${named.http} to add one.` })
    assert.equal(await link.getAttribute('href'), `${named.http}/console/security`)
    assert.equal(await page.getByRole('button', { name: 'Add passkey' }).count(), 0)
    assert.deepEqual(troubles(), [])
    await page.context().close()
  })

  for (const role of ['user', 'operator'] as const)
    await t.test(`adds a passkey of the ${role}, logs in with it, removes it`, async () => {
      const [path, start, person] =
        role === 'user' ? ['/security', '/', service.notes] : ['/operator/security', '/operator', service.notes.operator]
      const { page, logIn, open, troubles } = await openVisitor(browser, named)
      await plugIn(page)
      await logIn(role)
      await open(path)
      await page.getByRole('button', { name: 'Add passkey' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Blue key')
      assert.deepEqual(await seriousViolations(page), [])
      await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'I have saved them' }).click()
      await page.getByText('10 codes left').waitFor()
      await page.getByRole('cell', { name: 'Blue key', exact: true }).waitFor()
      assert.deepEqual(await seriousViolations(page), [])
      assert.deepEqual(troubles(), [])

      await logOut(page)
      await open(start)
      await passwordStep(page, person)
      await page.getByText('Your account has a second factor: use your passkey', { exact: false }).waitFor()
      assert.deepEqual(await seriousViolations(page), [])
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await page.locator('#content').waitFor()
      await open(path)
      await page.getByRole('button', { name: 'Actions for Blue key' }).click()
      await page.getByRole('menuitem', { name: 'Remove' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.getByText('No passkeys yet').waitFor()

      await logOut(page)
      await logIn(role)
      await page.context().close()
    })

  await t.test('tells a user without the passkey at hand, also in German, and accepts a recovery code', async () => {
    const { page, logIn, open } = await openVisitor(browser, named, { language: 'de' })
    await plugIn(page)
    await logIn()
    await open('/security')
    await page.getByRole('button', { name: 'Passkey hinzufügen' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Blauer Schlüssel')
    await page.getByRole('dialog').getByRole('button', { name: 'Weiter' }).click()
    const code = await page.getByRole('listitem').filter({ hasText: /^\w{5}-\w{5}$/ }).first().innerText() // prettier-ignore
    await page.getByRole('button', { name: 'Ich habe sie gespeichert' }).click()
    await page.context().close()

    const elsewhere = await openVisitor(browser, service, { language: 'de' })
    await elsewhere.open('/')
    await passwordStep(elsewhere.page, service.notes)
    await elsewhere.page.getByText('der nur unter der Adresse gilt', { exact: false }).waitFor()
    await elsewhere.page.getByLabel('Code').fill(code)
    await elsewhere.page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await elsewhere.page.locator('#content').waitFor()
    await elsewhere.page.context().close()
  })
})
