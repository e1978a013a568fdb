import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Browser } from 'playwright-core'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations, unreadable, type AxeOptions } from './accessibility.ts'
import { filled, makeExamples, type Examples } from './examples.ts'
import { pages } from './page-table.ts'
import { startService, type Service } from './service.ts'
import { assertFits, openBrowser, openVisitor, settled, type Visitor } from './visitor.ts'

/** `PAGES=/flows,/me node --test test/console/pages.test.ts` opens only those. */
const beginnings = (process.env.PAGES ?? '').split(',')
const wanted = pages.filter(({ path }) => beginnings.some((beginning) => path.startsWith(beginning)))

type Language = 'en' | 'de'

interface Look {
  scheme: 'light' | 'dark'
  viewport: { width: number; height: number }
}

const [desktop, phone] = [
  { width: 1280, height: 860 },
  { width: 360, height: 740 },
]

/** Each look differs from the previous one in one property; traversed in both directions. */
const looks: readonly Look[] = [
  { scheme: 'light', viewport: desktop },
  { scheme: 'dark', viewport: desktop },
  { scheme: 'dark', viewport: phone },
  { scheme: 'light', viewport: phone },
]

interface Place {
  service: Service
  examples: Examples
  browser: Browser
}

/**
 * Opens every page of the console in both languages, light and dark, on a desktop and on a phone: no errors, no external requests, accessible,
 * nothing wider than the screen. Language, colours and size change in place, so that each page is opened once.
 */
const openEveryPage = async (t: TestContext, { service, examples, browser }: Place): Promise<void> => {
  const visitor = await openVisitor(browser, service)
  await visitor.logIn('operator')
  await visitor.logIn('user')
  let language: Language = 'en'
  for (const { path, role } of wanted)
    await t.test(`${path} (${role})`, async () => {
      await visitor.go(filled(path, examples))
      assert.equal(await visitor.page.locator('h1').count(), 1, 'one main heading')
      await lookAt(visitor, looks, { path, language })
      language = await changeLanguage(visitor, language)
      await lookAt(visitor, looks.toReversed(), { path, language })
      assert.deepEqual(visitor.troubles(), [])
    })
}

/** All rules once, and language-dependent ones also in the other language. */
const rulesOf: Record<Language, AxeOptions> = { de: {}, en: { rules: ['label-content-name-mismatch'] } }

const lookAt = async (
  { page }: Visitor,
  sequentially: readonly Look[],
  { path, language }: { path: string; language: Language },
): Promise<void> => {
  assert.equal(await page.locator('html').getAttribute('lang'), language)
  for (const { scheme, viewport } of sequentially) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize(viewport)
    await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor()
    const where = `${path}, ${language}, ${scheme}, ${viewport.width} pixels`
    await assertFits(page, where)
    // Names do not depend on colours, and colours do not depend on the language.
    const rules = scheme === 'dark' ? rulesOf[language] : { rules: ['color-contrast'] }
    if (scheme === 'dark') assert.deepEqual(await unreadable(page), [], where)
    if (scheme === 'dark' || language === 'de') assert.deepEqual(await seriousViolations(page, rules), [], where)
  }
}

/** Changes the language in the menu at the top, as a user does. */
const changeLanguage = async ({ page }: Visitor, from: Language): Promise<Language> => {
  const to = from === 'en' ? 'de' : 'en'
  await page.getByRole('button', { name: from === 'en' ? 'Language: English' : 'Sprache: Deutsch' }).dispatchEvent('click')
  await page.getByRole('menuitem', { name: to === 'en' ? 'English' : 'Deutsch' }).dispatchEvent('click')
  await page.getByRole('menu').waitFor({ state: 'hidden' })
  await settled(page)
  return to
}

/** Generous: on a busy machine each of the many pages takes seconds. */
const timeout = 900_000

test('renders every page', { timeout }, async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const place: Place = { service, examples: await makeExamples(service), browser }
  await t.test('opens in both languages, light and dark, on a desktop and on a phone', { timeout }, (t) => openEveryPage(t, place))
  await t.test('opens the API reference without errors and without external requests', () => openReference(place))
})

const openReference = async ({ service, browser }: Place): Promise<void> => {
  const { page, troubles } = await openVisitor(browser, service)
  await page.goto(`${service.http}/docs/#tag/v3ai-flows/post/v3/ai-flows/{aiFlowId}/talks`)
  await page.getByText('/v3/ai-flows/{aiFlowId}/talks').first().waitFor()
  await page.getByRole('link', { name: 'guides' }).first().click()
  await page.getByRole('heading', { name: 'Guides', exact: true }).waitFor()
  assert.deepEqual(troubles(), [])
}
