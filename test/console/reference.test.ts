import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '../support/peers/debian.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

test('the reference of the interface opens without a complaint and asks nobody else', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const service = await startService(t)
  const { page, troubles } = await openVisitor(await openBrowser(t), service)
  await page.goto(`${service.http}/docs/`)
  await page.getByRole('heading', { name: 'Offhook' }).waitFor()
  await page.goto(`${service.http}/docs/#tag/v3ai-flows/post/v3/ai-flows/{aiFlowId}/talks`)
  await page.getByText('/v3/ai-flows/{aiFlowId}/talks').first().waitFor()
  await page.getByRole('link', { name: 'guides' }).first().click()
  await page.getByText('# Guides').waitFor()
  assert.deepEqual(troubles(), [])
})
