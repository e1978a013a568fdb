import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const dialog = (page: Page) => page.getByRole('dialog')

test('money in the console: how to top up, limits, usage by what it was for, and what a call will cost', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_SPEECH: 'off' }), openBrowser(t)])
  const { page, open, logIn, troubles } = await openVisitor(browser, service)

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
})
