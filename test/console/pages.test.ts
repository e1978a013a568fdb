import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Browser } from 'playwright-core'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { filled, makeExamples, type Examples } from './examples.ts'
import { pages } from './page-table.ts'
import { startService, type Service } from './service.ts'
import { assertFits, openBrowser, openVisitor } from './visitor.ts'

/** `PAGES=/flows node --test test/console/pages.test.ts` opens only those. */
const wanted = pages.filter(({ path }) => path.startsWith(process.env.PAGES ?? ''))

interface Look {
  language: 'en' | 'de'
  scheme: 'light' | 'dark'
  viewport: { width: number; height: number }
}

/** The longer words on the narrower screen. */
const onDesktop: Look = { language: 'en', scheme: 'light', viewport: { width: 1280, height: 860 } }
const onPhone: Look = { language: 'de', scheme: 'dark', viewport: { width: 360, height: 740 } }

interface Place {
  service: Service
  examples: Examples
  browser: Browser
}

/** Opens every page of the console: no errors, no requests to other hosts, accessible, nothing wider than the screen. */
const openEveryPage = async (t: TestContext, { service, examples, browser }: Place, look: Look): Promise<void> => {
  const { page, logIn, go, troubles } = await openVisitor(browser, service, look)
  await logIn('operator')
  await logIn('user')
  for (const { path, role } of wanted)
    await t.test(`${path} (${role})`, async () => {
      await go(filled(path, examples))
      assert.equal(await page.locator('h1').count(), 1, 'one main heading')
      assert.equal(await page.locator('html').getAttribute('lang'), look.language)
      assert.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), look.scheme)
      assert.deepEqual(await seriousViolations(page), [])
      await assertFits(page, path)
      assert.deepEqual(troubles(), [])
    })
}

/** There are many, and on a busy machine each of them takes seconds. */
const timeout = 900_000

test('every page', { timeout }, async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const place: Place = { service, examples: await makeExamples(service), browser }
  await t.test('opens in English, light, on a desktop', { timeout }, (t) => openEveryPage(t, place, onDesktop))
  await t.test('opens in German, dark, on a phone', { timeout }, (t) => openEveryPage(t, place, onPhone))
  await t.test('the reference of the interface opens without errors and without requests to other hosts', () => openReference(place))
})

const openReference = async ({ service, browser }: Place): Promise<void> => {
  const { page, troubles } = await openVisitor(browser, service)
  await page.goto(`${service.http}/docs/api/`)
  await page.getByRole('heading', { name: 'Offhook' }).waitFor()
  await page.goto(`${service.http}/docs/#tag/v3ai-flows/post/v3/ai-flows/{aiFlowId}/talks`)
  await page.getByText('/v3/ai-flows/{aiFlowId}/talks').first().waitFor()
  await page.getByRole('link', { name: 'guides' }).first().click()
  await page.getByRole('heading', { name: 'Guides', exact: true }).waitFor()
  assert.deepEqual(troubles(), [])
}
