import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, type Visitor } from './visitor.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const dialog = (page: Page) => page.getByRole('dialog')

test('shows top-up, limits, usage by purpose, the price of a call, and statements', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_SPEECH: 'off', OFFHOOK_SANDBOX: 'on' }), openBrowser(t)])
  const visitor = await openVisitor(browser, service)
  const { page, open, logIn, troubles } = visitor

  await logIn('operator')
  await open('/operator/tariffs')
  await press(page, 'Edit billing details')
  await dialog(page).getByLabel('How to top up').fill('By bank transfer.')
  await dialog(page).getByLabel('Top-up page').fill('https://pay.example/')
  await press(page, 'Save')
  await page.getByText('https://pay.example/').waitFor()

  await logIn('user')
  await open('/balance')
  assert.equal(await page.getByRole('link', { name: 'Top up' }).getAttribute('href'), 'https://pay.example/')
  await press(page, 'Change limits')
  await dialog(page).getByLabel('Per call').fill('2')
  await dialog(page).getByLabel('Warn below').fill('1000')
  await press(page, 'Save')
  await page.getByText('€1,000.00', { exact: true }).waitFor()
  const { perCall, warnBelow } = await service.api.readLimits({})
  assert.deepEqual([perCall, warnBelow], [20_000, 10_000_000])

  await page.getByText('No spending in this period').waitFor()
  await page.getByText('No statements yet').waitFor()
  await page.getByText('Country', { exact: true }).click()
  await page.getByText('No spending in this period').waitFor()
  assert.deepEqual(await seriousViolations(page), [])

  await open('/phone')
  const field = page.getByLabel('Number or name').or(page.getByLabel('Number')).first()
  await field.fill('0211 63554444')
  await page.getByText('€0.0190 per minute').waitFor()
  await field.fill('112')
  await page.getByText('Emergency call: always free of charge').waitFor()
  assert.deepEqual(troubles(), [])
  await spendAndKeep(visitor, service)
})

/** Pays for a number; a month later a statement shows it, on the page and in both files. */
const spendAndKeep = async ({ page, logIn, open, troubles }: Visitor, { api, operator, notes: { accountId } }: Service): Promise<void> => {
  await operator.topUpBalance({ accountId }, { amount: 1_000_000, reason: 'Paid', idempotencyKey: 'paid-1' })
  await operator.addStock({}, { numbers: ['+4915799912301'], price: 123_400 })
  const [offer] = (await api.listStock()).items
  await api.orderNumber({}, { stockId: offer?.id ?? '' })
  await open('/balance')
  await page.getByText('€12.34').first().waitFor()
  const [usage] = await Promise.all([page.waitForEvent('download'), press(page, 'CSV')])
  assert.match(await readFile(await usage.path(), 'utf8'), /12\.34/)

  await operator.putSandboxTimeForward({}, { seconds: 32 * 24 * 3600 })
  await page.context().clearCookies()
  await page.evaluate('localStorage.clear()')
  await logIn('user')
  await open('/balance')
  const row = page.getByRole('table', { name: 'Statements' }).getByRole('row').nth(1)
  await row.getByText('€12.34').waitFor()
  const [pdf] = await Promise.all([page.waitForEvent('download'), row.getByRole('button', { name: /PDF/ }).click()])
  assert.match(pdf.suggestedFilename(), /^statement-\d{4}-\d\d\.pdf$/)
  assert.equal((await readFile(await pdf.path(), 'latin1')).slice(0, 5), '%PDF-')
  const [csv] = await Promise.all([page.waitForEvent('download'), row.getByRole('button', { name: /CSV/ }).click()])
  assert.match(await readFile(await csv.path(), 'utf8'), /-?12\.34/)
  assert.deepEqual(await seriousViolations(page), [])
  assert.deepEqual(troubles(), [])
}
