import type { CDPSession, Page } from 'playwright-core'
import { filled, makeExamples } from '../../test/console/examples.ts'
import { pages } from '../../test/console/page-table.ts'
import { startService } from '../../test/console/service.ts'
import { openBrowser, openVisitor, settled } from '../../test/console/visitor.ts'
import { openScope } from '../shared/scope.ts'
import { percentile } from '../shared/percentiles.ts'

/**
 * Load time of every console page over a slow line: opened by URL with an empty cache, and with the cache of the previous visit, until nothing on it
 * is loading. Limit: four seconds each; `node bench/http/slow-line.ts /flows /calls` for the pages below these paths.
 */
const line = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const limitMs = 2000
const worst = 5
const named = process.argv.slice(2)
const wanted = named.length > 0 ? named : ['/']

interface Visit {
  path: string
  ms: number
  requests: number
  kb: number
}

const visit = async (page: Page, session: CDPSession, path: string, url: string): Promise<Visit> => {
  let [requests, bytes] = [0, 0]
  const count = ({ encodedDataLength }: { encodedDataLength: number }): void => {
    requests++
    bytes += encodedDataLength
  }
  session.on('Network.loadingFinished', count)
  await page.goto(url, { waitUntil: 'commit' })
  await settled(page)
  const ms = Math.round(await page.evaluate<number>('performance.now()'))
  session.off('Network.loadingFinished', count)
  return { path, ms, requests, kb: Math.round(bytes / 1000) }
}

const summary = (visits: readonly Visit[]) => {
  const times = visits.map(({ ms }) => ms)
  const slowest = visits.toSorted((one, other) => other.ms - one.ms).slice(0, worst)
  return { msP50: percentile(times, 0.5), msWorst: percentile(times, 1), over: times.filter((ms) => ms > limitMs).length, slowest }
}

const scope = openScope()
try {
  const service = await startService(scope)
  const examples = await makeExamples(service)
  const { page, logIn } = await openVisitor(await openBrowser(scope), service)
  await logIn('operator')
  await logIn('user')
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', line)
  const [cold, warm]: [Visit[], Visit[]] = [[], []]
  for (const { path } of pages.filter((one) => wanted.some((beginning) => one.path.startsWith(beginning)))) {
    const url = `${service.http}/console${filled(path, examples)}`
    await session.send('Network.clearBrowserCache')
    cold.push(await visit(page, session, path, url))
    warm.push(await visit(page, session, path, url))
  }
  console.log(JSON.stringify({ bench: 'slow-line', pages: cold.length, cold: summary(cold), warm: summary(warm) }))
} finally {
  await scope.end()
}
