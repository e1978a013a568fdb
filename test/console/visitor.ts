import assert from 'node:assert/strict'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import type { Scope } from '#test/machine/temporary-folder.ts'
import type { Service } from './service.ts'

/** Timeout for all browser waits: generous for a busy machine. */
export const timeoutMs = 90_000

export interface BrowserOptions {
  /** WAV file that the microphone loops. */
  microphone?: string
}

/** Headless Chromium. */
export const openBrowser = async (t: Scope, { microphone }: BrowserOptions = {}): Promise<Browser> => {
  const browser = await chromium.launch({
    timeout: timeoutMs,
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--autoplay-policy=no-user-gesture-required',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      ...(microphone === undefined ? [] : [`--use-file-for-fake-audio-capture=${microphone}`]),
    ],
  })
  t.after(() => browser.close())
  return browser
}

export interface VisitorOptions extends Pick<BrowserContextOptions, 'viewport' | 'permissions'> {
  language?: 'en' | 'de'
  scheme?: 'light' | 'dark'
}

/** Person with a separate browser, and all errors in it. */
export interface Visitor {
  page: Page
  /** Opens a path of the console such as `/flows`, and waits until the page has loaded. */
  open: (path: string) => Promise<void>
  /** Navigates like a link, without a reload. */
  go: (path: string) => Promise<void>
  logIn: (role?: 'user' | 'operator') => Promise<void>
  /** Console errors, failed scripts, external requests and 5xx responses since the previous call. */
  troubles: () => string[]
}

const desktop = { width: 1280, height: 860 }

export const openVisitor = async (browser: Browser, service: Service, options: VisitorOptions = {}): Promise<Visitor> => {
  const { language = 'en', scheme = 'light', viewport = desktop, permissions = ['microphone'] } = options
  const context = await browser.newContext({ locale: language, colorScheme: scheme, viewport, permissions, reducedMotion: 'reduce' })
  context.setDefaultTimeout(timeoutMs)
  const page = await context.newPage()
  const troubles = watch(page, service.http)
  const open = async (path: string): Promise<void> => {
    await page.goto(`${service.http}/console${path}`)
    await settled(page)
  }
  return {
    page,
    open,
    go: async (path) => {
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`)
      await settled(page)
    },
    logIn: async (role = 'user') => {
      await open(role === 'operator' ? '/operator' : '/')
      const { email, password } = role === 'operator' ? service.notes.operator : service.notes
      await page.locator('input[autocomplete="username"]').fill(email)
      await page.locator('input[autocomplete="current-password"]').fill(password)
      await page.locator('button[type="submit"]').click()
      await page.locator('#content').waitFor()
      await settled(page)
    },
    troubles: () => troubles.splice(0),
  }
}

const watch = (page: Page, origin: string): string[] => {
  const troubles: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      troubles.push(`console ${message.type()}: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => troubles.push(`script: ${error.message}`))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) troubles.push(`outside request: ${url}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 500) troubles.push(`${response.status()} from ${response.url()}`)
  })
  return troubles
}

/** Something is rendered and nothing is loading. A page may be live, so that its network never becomes idle. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator('h1').first().waitFor()
  const waiting = page.locator('[role=status][aria-label]:visible, .mantine-Skeleton-root:visible')
  while ((await waiting.count()) > 0) await waiting.first().waitFor({ state: 'hidden' })
}

/** Tables wider than their container, which cannot be scrolled. */
const cutTables = `[...document.querySelectorAll('main table')]
  .filter((one) => one.offsetWidth > one.parentElement.clientWidth + 1 && !/auto|scroll/.test(getComputedStyle(one.parentElement).overflowX))
  .map((one) => (one.getAttribute('aria-label') ?? 'a table') + ': ' + one.offsetWidth + ' of ' + one.parentElement.clientWidth)`

/** Reports content that needs sideways scrolling, an error on a phone, and content that is cut off. */
export const assertFits = async (page: Page, where: string): Promise<void> => {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  assert.ok(width <= 0, `${where} is ${width} pixels too wide`)
  assert.deepEqual(await page.evaluate<string[]>(cutTables), [], `${where} has tables that are cut off at their side`)
}
