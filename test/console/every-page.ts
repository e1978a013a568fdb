import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { needs } from '../support/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { filled, makeExamples } from './examples.ts'
import { pages } from './page-table.ts'
import { startService } from './service.ts'
import { assertFits, openBrowser, openVisitor, settled } from './visitor.ts'

/** `PAGES=/flows node --test test/console/pages-in-english.test.ts` opens only those. */
const wanted = pages.filter(({ path }) => path.startsWith(process.env.PAGES ?? ''))

const phone = { width: 360, height: 740 }
const desktop = { width: 1280, height: 860 }

/** Opens every page of the console: nothing complains, nothing is asked of anybody else, everybody can use it, it fits. */
export const openEveryPage = async (t: TestContext, look: { language: 'en' | 'de'; scheme: 'light' | 'dark' }): Promise<void> => {
  if (!(await needs(t, 'chromium'))) return
  const service = await startService(t)
  const examples = await makeExamples(service)
  const browser = await openBrowser(t)
  const visitor = await openVisitor(browser, service, look)
  await visitor.logIn('user')
  await visitor.logIn('operator')
  for (const { path, role } of wanted)
    await t.test(`${path} (${role})`, async () => {
      await visitor.page.setViewportSize(desktop)
      await visitor.open(filled(path, examples))
      assert.equal(await visitor.page.locator('h1').count(), 1, 'one main heading')
      assert.equal(await visitor.page.locator('html').getAttribute('lang'), look.language)
      assert.equal(await visitor.page.locator('html').getAttribute('data-mantine-color-scheme'), look.scheme)
      assert.deepEqual(await seriousViolations(visitor.page), [])
      await visitor.page.setViewportSize(phone)
      await settled(visitor.page)
      await assertFits(visitor.page, path)
      assert.deepEqual(visitor.troubles(), [])
    })
}
