import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService } from './service.ts'
import { assertFits, openBrowser, openVisitor } from './visitor.ts'

const timeout = 600_000
/** Accessible names do not depend on colours, so each is checked once. */
const looks = [
  { scheme: 'light', viewport: { width: 1400, height: 900 } },
  { scheme: 'dark', viewport: { width: 360, height: 740 }, rules: ['color-contrast'] },
] as const

/** Elements repeated on every page but the first, in every row and block of code: axe takes a second per few hundred elements. */
const repeated = ['.menu', 'tbody tr:nth-child(n+12)', 'figure.code:nth-of-type(n+4)']

const pathsOf = (links: readonly unknown[]): string[] => links.map((link) => (link as { pathname: string }).pathname)

/** Pages listed in the navigation. */
const listedPages = (page: Page): Promise<string[]> => page.locator('.menu li a').evaluateAll(pathsOf)

test('serves the documentation in a browser', { timeout }, async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])

  await t.test('opens every page, light and wide, dark and narrow: accessible, without external requests', { timeout }, async () => {
    const { page, troubles } = await openVisitor(browser, service)
    await page.goto(`${service.http}/docs/`)
    const listed = (await listedPages(page)).filter((path) => path !== '/docs/api/')
    assert.ok(listed.length > 25)
    const paths = new Set(['/docs/', ...listed])
    for (const path of paths) {
      await page.goto(service.http + path)
      assert.equal(await page.locator('h1').count(), 1, `${path}: one main heading`)
      const exclude = path === '/docs/' ? [] : repeated
      for (const { scheme, viewport, ...rules } of looks) {
        await page.emulateMedia({ colorScheme: scheme })
        await page.setViewportSize(viewport)
        assert.deepEqual(await seriousViolations(page, { exclude, ...rules }), [], `${path}, ${scheme}`)
        await assertFits(page, path)
      }
      assert.deepEqual(troubles(), [], path)
      for (const translated of await page.locator('a[hreflang=de]').evaluateAll(pathsOf)) paths.add(translated)
    }
    assert.ok([...paths].filter((path) => path.startsWith('/docs/guides/de/')).length > 5)
  })

  await t.test('searches by keyboard and shows the matches in context', { timeout }, async () => {
    const { page, troubles } = await openVisitor(browser, service)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${service.http}/docs/`)
    assert.ok(!asked.some((path) => path.includes('search-')), 'what is searched is not loaded before')
    await page.keyboard.press('/')
    await page.keyboard.type('whsec')
    const first = page.locator('#found a').first()
    await first.waitFor()
    assert.ok((await page.locator('#found mark').allTextContents()).every((word) => word.toLowerCase() === 'whsec'))
    assert.deepEqual(await seriousViolations(page), [])
    await page.keyboard.press('ArrowDown')
    assert.equal(await page.evaluate<boolean>("document.activeElement === document.querySelector('#found a')"), true)
    await page.keyboard.press('Escape')
    assert.equal(await page.locator('#found').isVisible(), false)
    await page.locator('#search').fill('OFFHOOK_RTP_TIMEOUT')
    await page.getByText('Settings › OFFHOOK_RTP_TIMEOUT').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${service.http}/docs/settings#OFFHOOK_RTP_TIMEOUT`)
    assert.deepEqual(troubles(), [])
  })

  await t.test('copies code verbatim', { timeout }, async () => {
    const { page } = await openVisitor(browser, service, { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`${service.http}/docs/guides/first-assistant`)
    const block = page.locator('figure.code').first()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(`${await page.evaluate<string>('navigator.clipboard.readText()')}\n`, await block.locator('code').textContent())
  })

  await t.test('shares the light or dark choice between documentation and console', { timeout }, async () => {
    const { page } = await openVisitor(browser, service, { scheme: 'light' })
    await page.goto(`${service.http}/docs/`)
    await page.getByRole('button', { name: 'Light or dark' }).click()
    assert.equal(await page.locator('html').getAttribute('data-scheme'), 'dark')
    await page.goto(`${service.http}/console/`)
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  })

  await t.test('links German guides both ways, and searches in the same language', { timeout }, async () => {
    const { page, troubles } = await openVisitor(browser, service)
    await page.goto(`${service.http}/docs/guides/sip-phone`)
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.waitForURL(`${service.http}/docs/guides/de/sip-phone`)
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    await page.keyboard.press('/')
    await page.keyboard.type('Besetztlampenfeld')
    await page.getByText('Ein SIP-Telefon › Lampen').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'English' }).click()
    await page.waitForURL(`${service.http}/docs/guides/sip-phone`)
    assert.deepEqual(troubles(), [])
  })

  await t.test('is readable without scripts', { timeout }, async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${service.http}/docs/`)
    await page.getByRole('link', { name: 'A SIP phone' }).first().click()
    assert.equal(await page.locator('h1').textContent(), 'A SIP phone')
    assert.equal(await page.locator('#search').isVisible(), false)
    await context.close()
  })
})
