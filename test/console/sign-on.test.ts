import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { startCompanyOidc } from '#test/sign-on/company-oidc.ts'
import { seriousViolations } from './accessibility.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

test('connects an identity provider, changes it, and makes a SCIM token', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const company = await startCompanyOidc(t, { sub: 'grace', email: 'grace@example.test' })
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }), openBrowser(t)])
  const { api } = service
  const admin = await openVisitor(browser, service)
  const { page } = admin
  await admin.logIn()
  await admin.open('/single-sign-on')
  await page.getByText('No identity provider yet').waitFor()
  await page.getByRole('button', { name: 'Connect a provider' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Company')
  await form.getByRole('textbox', { name: 'Issuer' }).fill('company')
  await form.getByRole('textbox', { name: 'Client ID' }).fill(company.client.clientId)
  await form.getByLabel('Client secret').fill(company.client.clientSecret)
  await form.getByLabel('Domains').first().fill('Example.test')
  await form.getByRole('button', { name: 'Add group' }).click()
  await form.getByRole('textbox', { name: 'Group 1' }).fill('phone-admins')
  await form.getByRole('combobox', { name: 'Role of group 1' }).click()
  await page.getByRole('option', { name: 'Administrator' }).click()
  assert.deepEqual(await seriousViolations(page), [])
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('textbox', { name: 'Issuer', exact: false }).and(page.locator('[aria-invalid=true]')).waitFor()
  await form.getByRole('textbox', { name: 'Issuer' }).fill(company.issuer)
  await form.getByRole('button', { name: 'Save' }).click()

  const here = page.getByRole('region', { name: 'Company', exact: true })
  await here.waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  const [provider] = (await api.listIdentityProviders()).items
  assert.ok(provider)
  assert.deepEqual(
    [provider.oidc?.issuer, provider.oidc?.hasSecret, provider.domains.map(({ domain }) => domain), provider.roles],
    [company.issuer, true, ['example.test'], [{ group: 'phone-admins', role: 'ADMIN' }]],
  )
  await here.getByText(provider.callbackUrl).waitFor()
  await page.getByText(provider.domains[0]?.record.value ?? assert.fail()).waitFor()

  await here.getByRole('button', { name: 'Actions for Company' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await form.getByRole('combobox', { name: 'Role without one of the groups' }).click()
  await page.getByRole('option', { name: 'No access' }).click()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  const changed = await api.getIdentityProvider({ providerId: provider.id })
  assert.deepEqual([changed.defaultRole, changed.oidc?.hasSecret], [null, true])

  const rule = page.getByRole('region', { name: 'Only through Company' })
  await rule.getByRole('combobox', { name: 'Administrators who keep their password' }).click()
  await page.getByRole('option').first().click()
  await page.keyboard.press('Escape')
  await rule.getByRole('switch', { name: 'Require single sign-on' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('dialog').getByRole('button', { name: 'Require it' }).click()
  await page.getByText('verify it first', { exact: false }).first().waitFor()
  assert.equal((await api.getIdentityProvider({ providerId: provider.id })).enforced, false)

  await page.getByRole('button', { name: 'Create token' }).click()
  const secret = page.getByRole('dialog')
  await secret.getByText(/\/scim\/v2/).waitFor()
  await secret.getByRole('button', { name: /I have \w+ it/ }).click()
  await page.getByRole('button', { name: 'Revoke token' }).waitFor()
  assert.equal((await api.getIdentityProvider({ providerId: provider.id })).hasScimToken, true)
})

test('asks for the password again when the login is older than ten minutes', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const admin = await openVisitor(browser, service, { language: 'de' })
  const { page } = admin
  let tries = 0
  await admin.logIn()
  await page.route('**/v1/singlesignon', async (route) => {
    const isOld = route.request().method() === 'POST' && tries++ === 0
    if (isOld) await route.fulfill({ status: 403, json: { error: 'FORBIDDEN', code: 'login_too_old', message: 'Log in again.' } })
    else await route.continue()
  })
  await admin.open('/single-sign-on')
  await page.getByRole('button', { name: 'Anbieter verbinden' }).click()
  const form = page.getByRole('dialog')
  await form.getByText('SAML 2.0').click()
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Firma')
  await form.getByRole('textbox', { name: 'Entity-ID des Anbieters' }).fill('https://login.example.com/metadata')
  await form.getByRole('textbox', { name: 'Anmeldeadresse' }).fill('https://login.example.com/saml')
  await form.getByRole('textbox', { name: 'Zertifikate' }).fill('kein Zertifikat')
  await form.getByRole('button', { name: 'Speichern' }).click()
  await page.getByText('Bestätige, dass du es bist').waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  const again = page.getByRole('dialog', { name: 'Bestätige, dass du es bist' })
  await again.getByLabel('Passwort', { exact: true }).fill(service.notes.password)
  await again.getByRole('button', { name: 'Weiter' }).click()
  await again.getByRole('alert').waitFor()
  assert.equal(tries, 2)
})
