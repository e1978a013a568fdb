import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

const warnings = {
  en: /No number leads to a phone, so the emergency services cannot call back/,
  de: /Keine Rufnummer führt zu einem Telefon, der Notruf könnte nicht zurückrufen/,
} as const

test('shows emergency and short numbers in the console', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_SPEECH: 'off' }), openBrowser(t)])
  const { api, operator, notes } = service

  for (const language of ['en', 'de'] as const)
    await t.test(`warns an administrator whose phones cannot be called back (${language})`, async () => {
      const { page, logIn, troubles } = await openVisitor(browser, service, { language })
      await logIn()
      await page.getByText(warnings[language]).waitFor()
      assert.deepEqual(troubles(), [])
    })

  await t.test('does not warn when a number is routed to a phone line', async () => {
    const [line] = (await api.listPhonelines({ userId: 'w0' })).items
    const { id: numberId } = await operator.assignNumber({}, { accountId: notes.accountId, number: '+4915799912309' })
    await api.changeNumber({ numberId }, { endpointId: line?.id ?? '' })
    assert.equal((await api.getEmergencyCallback()).callbackNumber, '+4915799912309')
    const { page, logIn } = await openVisitor(browser, service)
    const asked = page.waitForResponse((response) => response.url().endsWith('/v1/account/emergency'))
    await logIn()
    await asked
    await page.getByRole('heading', { name: /^Hello/ }).waitFor()
    assert.equal(await page.getByText(warnings.en).count(), 0)
  })

  await t.test('sets the location for a trunk and a rate for a short number', async () => {
    const { page, open, logIn, troubles } = await openVisitor(browser, service)
    await logIn('operator')
    const dialog = page.getByRole('dialog')
    await open('/operator/trunks')
    await page.getByRole('button', { name: 'Add trunk' }).first().click()
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Carrier')
    await dialog.getByRole('textbox', { name: 'Host' }).fill('192.0.2.1')
    await dialog.getByLabel('Send the caller’s address with emergency calls').check()
    await dialog.getByRole('button', { name: 'Add trunk' }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.equal((await operator.listTrunks()).items[0]?.emergencyLocation, true)

    await open('/operator/tariffs/standard')
    await page.getByRole('button', { name: 'Add rate' }).first().click()
    await dialog.getByRole('textbox', { name: 'Prefix' }).fill('DE:115')
    await dialog.getByRole('button', { name: 'Add rate' }).click()
    await page.getByRole('row', { name: /^DE 115/ }).waitFor()
    assert.deepEqual(troubles(), [])
  })
})
