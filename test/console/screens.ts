import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { finishedTalk } from './examples.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, settled, type VisitorOptions } from './visitor.ts'

/** Makes the pictures in docs/screens: `npm run screens`. */
const folder = join(import.meta.dirname, '../../docs/screens')

interface Screen {
  name: string
  path: (service: Service, callId: string) => string
  role?: 'user' | 'operator'
  options?: VisitorOptions
  prepare?: (page: Page) => Promise<void>
}

const phone = { width: 390, height: 844 }

/** Typed, so that the picture is the same every time. */
const talk = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Type instead of speaking' }).click()
  const line = page.getByLabel('Type a message')
  await line.waitFor()
  await page
    .getByText(/Hello, this is Offhook/)
    .first()
    .waitFor()
  await line.fill('What can you do?')
  await line.press('Enter')
  await page
    .getByText(/You said/)
    .first()
    .waitFor()
}

const screens: readonly Screen[] = [
  { name: 'start', path: () => '/' },
  { name: 'start-dark', path: () => '/', options: { scheme: 'dark', language: 'de' } },
  { name: 'start-phone', path: () => '/', options: { viewport: phone } },
  { name: 'talk', path: ({ notes }) => `/talk/${notes.flowId}`, prepare: talk },
  { name: 'call', path: (_service, callId) => `/calls/${callId}` },
  { name: 'calls', path: () => '/calls' },
  { name: 'flow', path: ({ notes }) => `/flows/${notes.flowId}` },
  { name: 'devices', path: () => '/devices' },
  { name: 'operator', path: () => '/operator', role: 'operator' },
  { name: 'operator-dark', path: () => '/operator', role: 'operator', options: { scheme: 'dark' } },
]

const endings: (() => unknown)[] = []
const scope = { after: (close: () => unknown) => endings.unshift(close) }
try {
  await mkdir(folder, { recursive: true })
  const service = await startService(scope)
  const browser = await openBrowser(scope)
  const callId = await finishedTalk(service, { hurry: false })
  const login = await openVisitor(browser, service)
  await login.open('/')
  await login.page.screenshot({ path: join(folder, 'login.png') })
  for (const { name, path, role = 'user', options, prepare } of screens) {
    const { page, logIn, open } = await openVisitor(browser, service, options)
    await logIn(role)
    await open(path(service, callId))
    await prepare?.(page)
    await settled(page)
    await page.screenshot({ path: join(folder, `${name}.png`) })
    await page.context().close()
    console.log(`docs/screens/${name}.png`)
  }
} finally {
  for (const end of endings) await end()
}
