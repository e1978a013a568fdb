import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '../support/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { filled, makeExamples } from './examples.ts'
import { pages } from './page-table.ts'
import { startService } from './service.ts'
import { assertFits, openBrowser, openVisitor, settled } from './visitor.ts'

const looks = [
  { language: 'en', scheme: 'light' },
  { language: 'de', scheme: 'dark' },
] as const

const phone = { width: 360, height: 740 }
const desktop = { width: 1280, height: 860 }

test('every page opens without complaints or outside requests, accessible, in each language and scheme, wide and narrow', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const service = await startService(t)
  const examples = await makeExamples(service)
  const browser = await openBrowser(t)
  for (const look of looks) {
    const visitor = await openVisitor(browser, service, look)
    await visitor.logIn('user')
    await visitor.logIn('operator')
    for (const { path, role } of pages) {
      const name = `${path} (${role}, ${look.language}, ${look.scheme})`
      await t.test(name, async () => {
        await visitor.page.setViewportSize(desktop)
        await visitor.open(filled(path, examples))
        assert.equal(await visitor.page.locator('h1').count(), 1, 'one main heading')
        assert.equal(await visitor.page.locator('html').getAttribute('lang'), look.language)
        assert.deepEqual(await seriousViolations(visitor.page), [])
        await visitor.page.setViewportSize(phone)
        await settled(visitor.page)
        await assertFits(visitor.page, name)
        assert.deepEqual(visitor.troubles(), [])
      })
    }
  }
})
