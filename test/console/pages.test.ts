import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Browser } from 'playwright-core'
import { needs } from '../support/peers/debian.ts'
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

/** Opens every page of the console: nothing complains, nothing is asked of anybody else, everybody can use it, it fits. */
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

test('every page', { timeout: 280_000 }, async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const service = await startService(t)
  const place: Place = { service, examples: await makeExamples(service), browser: await openBrowser(t) }
  await t.test('opens in English, light, on a desktop', (t) => openEveryPage(t, place, onDesktop))
  await t.test('opens in German, dark, on a phone', (t) => openEveryPage(t, place, onPhone))
})
