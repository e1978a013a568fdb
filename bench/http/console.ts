import { gzipSync } from 'node:zlib'
import type { Browser, Page, Request } from 'playwright-core'
import { startService, type Service } from '../../test/console/service.ts'
import { openBrowser, openVisitor } from '../../test/console/visitor.ts'
import { percentile } from '../shared/percentiles.ts'
import { measureTimeline } from './console-timeline.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Cost of opening the console in a real browser with an empty cache: bytes up to the login and up to the start page, and the time until each is
 * usable. Also how it follows a call with a hundred events per second.
 */
const runs = 7

interface Load {
  ms: number
  /** Kilobytes on the wire. */
  kb: number
  /** Kilobytes of the same files, gzipped. */
  gzippedKb: number
}

const weigh = async (request: Request): Promise<{ wire: number; gzipped: number }> => {
  const response = await request.response()
  const { responseBodySize } = await request.sizes()
  return { wire: responseBodySize, gzipped: gzipSync((await response?.body()) ?? '').length }
}

const load = async (browser: Browser, service: Service, ready: (page: Page) => Promise<unknown>, token?: string): Promise<Load> => {
  const { page } = await openVisitor(browser, service)
  if (token !== undefined) await page.addInitScript(`localStorage.setItem('offhook.token.user', ${JSON.stringify(token)})`)
  const files: Promise<{ wire: number; gzipped: number }>[] = []
  const count = (request: Request): void => {
    if (request.url().includes('/console/')) files.push(weigh(request))
  }
  page.on('requestfinished', count)
  await page.goto(`${service.http}/console/`)
  await ready(page)
  const ms = await page.evaluate<number>('performance.now()')
  page.off('requestfinished', count) // later requests do not belong to the first load, and their page is gone
  const weights = await Promise.all(files)
  await page.context().close()
  const sum = (of: 'wire' | 'gzipped'): number => Math.round(weights.reduce((all, weight) => all + weight[of], 0) / 1000)
  return { ms, kb: sum('wire'), gzippedKb: sum('gzipped') }
}

const measure = async (work: () => Promise<Load>) => {
  const loads: Load[] = []
  for (let run = 0; run < runs; run++) loads.push(await work())
  const times = loads.map(({ ms }) => ms)
  return { kb: loads[0]?.kb, gzippedKb: loads[0]?.gzippedKb, msP50: percentile(times, 0.5), msWorst: percentile(times, 1) }
}

const scope = openScope()
try {
  const service = await startService(scope)
  const browser = await openBrowser(scope)
  const { token } = service.notes
  const login = await measure(() => load(browser, service, (page) => page.locator('input[autocomplete="username"]').focus()))
  const start = await measure(() => load(browser, service, (page) => page.getByRole('heading', { name: /^Hello/ }).waitFor(), token))
  const timeline = await measureTimeline(browser, service)
  console.log(JSON.stringify({ bench: 'console', login, start, timeline }))
} finally {
  await scope.end()
}
