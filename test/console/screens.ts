import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { receiveCall, openCompany, type Company } from './company.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, settled, type VisitorOptions } from './visitor.ts'

/**
 * Makes the screenshots in docs/screens: `npm run screens`. They show the real product, so the embedded models recognise and speak, and every latency
 * is real; tones would show neither.
 */
if (process.env.OFFHOOK_SPEECH !== undefined && process.env.OFFHOOK_SPEECH !== 'embedded')
  throw new Error('Pictures are taken with OFFHOOK_SPEECH=embedded only.')
const folder = join(import.meta.dirname, '../../docs/screens')

interface Screen {
  name: string
  path: (service: Service, company: Company) => string
  role?: 'user' | 'operator'
  options?: VisitorOptions
  prepare?: (page: Page, company: Company) => Promise<void>
}

const phone = { width: 390, height: 844 }
const wide = { width: 1440, height: 900 }

/** Typed, so that the screenshot shows the same words every time; each side lets the other finish. */
const talk = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Type instead of speaking' }).click()
  const line = page.getByLabel('Type a message')
  await line.waitFor()
  const finished = async (words: RegExp): Promise<void> => {
    await page.getByText(words).first().waitFor()
    await page.getByText('speaking …').first().waitFor()
    await page.getByText('speaking …').first().waitFor({ state: 'hidden' })
  }
  await finished(/Hello, this is Offhook/)
  await line.fill('What can you do?')
  await line.press('Enter')
  await finished(/You said/)
}

const screens: readonly Screen[] = [
  { name: 'start', path: () => '/' },
  { name: 'start-dark', path: () => '/', options: { scheme: 'dark', language: 'de' } },
  { name: 'start-phone', path: () => '/', options: { viewport: phone } },
  { name: 'talk', path: ({ notes }) => `/talk/${notes.flowId}`, prepare: talk },
  { name: 'call', path: (_service, { callId }) => `/calls/${callId}` },
  { name: 'phone', path: () => '/phone', prepare: receiveCall },
  { name: 'voicemail', path: () => '/calls/voicemail' },
  { name: 'calls', path: () => '/calls', options: { viewport: wide } },
  { name: 'calls-phone', path: () => '/calls', options: { viewport: phone } },
  { name: 'assistant', path: (_service, { receptionId }) => `/flows/${receptionId}/assistant` },
  { name: 'flow', path: ({ notes }) => `/flows/${notes.flowId}` },
  { name: 'hours', path: (_service, { scheduleId }) => `/hours/${scheduleId}` },
  { name: 'devices', path: () => '/devices' },
  { name: 'operator', path: () => '/operator', role: 'operator' },
  { name: 'operator-dark', path: () => '/operator', role: 'operator', options: { scheme: 'dark' } },
]

const endings: (() => unknown)[] = []
const scope = { after: (close: () => unknown) => endings.unshift(close) }
try {
  await mkdir(folder, { recursive: true })
  const service = await startService(scope, { OFFHOOK_SPEECH: 'embedded' })
  const browser = await openBrowser(scope)
  const company = await openCompany(scope, service, browser)
  const login = await openVisitor(browser, service)
  await login.open('/')
  await login.page.screenshot({ path: join(folder, 'login.png') })
  for (const { name, path, role = 'user', options, prepare } of screens) {
    const { page, logIn, open } = await openVisitor(browser, service, options)
    await logIn(role)
    await open(path(service, company))
    await prepare?.(page, company)
    await settled(page)
    await page.screenshot({ path: join(folder, `${name}.png`) })
    await page.context().close()
    console.log(`docs/screens/${name}.png`)
  }
} finally {
  for (const end of endings) await end()
}
