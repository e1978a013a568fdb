import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { needs } from '#test/peers/debian.ts'
import { readArchive } from '#test/privacy/read-archive.ts'
import { seriousViolations } from './accessibility.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

const shot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env.OFFHOOK_TEST_SHOTS
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

const eraseInDialog = async (page: Page): Promise<void> => {
  const dialog = page.getByRole('dialog')
  await dialog.getByText('cannot be undone').waitFor()
  await dialog.getByRole('button', { name: 'Erase', exact: true }).click()
  await page.getByText('Erasure scheduled.').first().waitFor()
  await dialog.waitFor({ state: 'hidden' })
}

test('exports and erases users, contacts and the account, and cancels in time', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const { api, operator, notes } = service
  await api.createContact({}, { name: 'Grace Hopper', numbers: ['+4915112340001'], shared: true })
  const other = { email: 'alan@example.com', firstname: 'Alan', lastname: 'Turing' }
  const { id: userId } = await operator.createUser({}, { accountId: notes.accountId, ...other })
  const visitor = await openVisitor(browser, service)
  const { page } = visitor
  await visitor.logIn()

  await visitor.open('/privacy')
  await page.getByRole('region', { name: 'Your data' }).getByRole('button', { name: 'Export data' }).click()
  const exports = page.getByRole('region', { name: 'Exports' })
  await exports.getByText('Ready', { exact: true }).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    exports
      .getByRole('button', { name: /^Actions for User/ })
      .click()
      .then(() => page.getByRole('menuitem', { name: 'Download' }).click()),
  ])
  const files = await readArchive(await readFile(await download.path()))
  assert.ok(files['data/app_user.json']?.toString().includes(notes.email))

  await visitor.open(`/users/${userId}`)
  const section = page.getByRole('region', { name: 'Privacy' })
  await section.getByRole('button', { name: 'Erase …' }).click()
  await page.getByRole('dialog').getByText('Alan Turing').waitFor()
  await page.getByRole('combobox', { name: 'Grace period' }).click()
  await page.getByRole('option', { name: '14 days' }).click()
  await shot(page, 'erase')
  assert.deepEqual(await seriousViolations(page), [])
  await eraseInDialog(page)

  await visitor.open('/contacts')
  await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click()
  await page.getByRole('menuitem', { name: 'Erase …' }).click()
  await eraseInDialog(page)

  await visitor.open('/privacy')
  const erasures = page.getByRole('region', { name: 'Erasures' })
  await erasures.getByText('User Alan Turing').waitFor()
  await shot(page, 'privacy')
  await erasures.getByRole('button', { name: 'Actions for User Alan Turing' }).click()
  await page.getByRole('menuitem', { name: 'Cancel erasure' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel erasure' }).click()
  await erasures.getByText('Cancelled', { exact: true }).waitFor()
  const states = (await api.listErasures()).items.map(({ state }) => state)
  assert.deepEqual(states, ['SCHEDULED', 'CANCELLED'])

  const caller = page.getByRole('region', { name: 'A caller' })
  await caller.getByRole('textbox', { name: 'Phone number' }).fill('0151 12345')
  await caller.getByRole('button', { name: 'Erase …' }).click()
  await caller.getByText('with its country code').waitFor()
  await caller.getByRole('textbox', { name: 'Phone number' }).fill('+49 151 99999999')
  await caller.getByRole('button', { name: 'Export data' }).click()
  await page.getByText('Nothing is stored about this number.').first().waitFor()
  assert.deepEqual(
    visitor.troubles().filter((one) => !one.includes('404')),
    [],
  )

  const desk = await openVisitor(browser, service, { language: 'de' })
  await desk.logIn('operator')
  await desk.open(`/operator/accounts/${notes.accountId}`)
  await desk.page.getByRole('region', { name: 'Datenschutz' }).getByRole('button', { name: 'Daten exportieren' }).click()
  await desk.page.getByText('Der Export wird vorbereitet').first().waitFor()
  await desk.open('/operator/privacy')
  await desk.page.getByRole('region', { name: 'Exporte' }).getByText('Ganzes Konto').waitFor()
  await desk.page.getByRole('region', { name: 'Löschungen' }).getByText('Vorgemerkt', { exact: true }).waitFor()
  await shot(desk.page, 'operator')
  assert.deepEqual(desk.troubles(), [])
})

test("exports and erases an unknown caller's data from the menu of a call", async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const { api, operator, notes } = service
  const admin = { email: 'grace@example.com', firstname: 'Grace', lastname: 'Hopper' }
  const { id: elsewhere } = await operator.createAccount({}, { company: 'Elsewhere', admin })
  await operator.assignNumber({}, { accountId: elsewhere, number: '+4915112340009' })
  const { id } = await operator.assignNumber({}, { accountId: notes.accountId, number: '+4915799912345' })
  await api.changeNumber({ numberId: id }, { endpointId: 's0' })
  await api.sendSms({}, { smsId: 's0', recipient: '+4915112340009', message: 'Hello' })
  const visitor = await openVisitor(browser, service)
  const { page } = visitor
  await visitor.logIn()
  const [entry] = (await api.listOwnHistory({ types: ['SMS'] })).items
  await visitor.open(`/calls/history/${entry?.id}`)
  await page.getByRole('button', { name: 'Data of the other side' }).click()
  await page.getByRole('menuitem', { name: 'Export data' }).click()
  await page.getByText('The export is being prepared').first().waitFor()
  await page.getByRole('button', { name: 'Data of the other side' }).click()
  await page.getByRole('menuitem', { name: 'Erase …' }).click()
  await eraseInDialog(page)
  assert.deepEqual((await api.listErasures()).items[0]?.subject, { type: 'NUMBER', id: '+4915112340009' })
})
