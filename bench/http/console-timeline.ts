import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { openTalk } from '#cli/say/typed-talk.ts'
import type { Service } from '../../test/console/service.ts'
import { openVisitor } from '../../test/console/visitor.ts'
import { percentile, rounded } from '../shared/percentiles.ts'

const perSecond = 100
const seconds = 8

/** Mutes and unmutes a call a hundred times a second: measures how far behind the timeline page is, and whether it still draws. */
export const measureTimeline = async (browser: Browser, service: Service) => {
  const { api, notes } = service
  const talk = await openTalk({ api }, notes.flowId, () => undefined)
  const { callId } = talk
  const visitor = await openVisitor(browser, service)
  await visitor.logIn()
  await visitor.open(`/calls/${callId}`)
  const { page } = visitor
  await page.getByRole('tab', { name: 'Events' }).click()
  const rows = page.getByRole('listbox').getByRole('option')
  await rows.first().waitFor()
  await watchFrames(page)
  const before = await shown(rows)
  const behind: number[] = []
  const startedAt = performance.now()
  let sent = 0
  while (performance.now() - startedAt < seconds * 1000) {
    await api.muteCall({ callId }, { value: sent++ % 2 === 0 })
    if (sent % perSecond === 0) behind.push(sent - ((await shown(rows)) - before))
    await sleep(Math.max(0, startedAt + (sent * 1000) / perSecond - performance.now()))
  }
  const over = performance.now()
  const caughtUpMs = await whenShown(rows, before + sent)
  const frames = await page.evaluate<number[]>('window.frames_')
  talk.send({ type: 'hangup' })
  await talk.ended
  await page.context().close()
  return {
    perSecond: Math.round((sent * 1000) / (over - startedAt)),
    entriesBehindWorst: Math.max(...behind),
    caughtUpMs: rounded(caughtUpMs),
    frameMsP95: percentile(frames, 0.95),
    frameMsWorst: percentile(frames, 1),
  }
}

const timeoutMs = 20_000

/** Milliseconds until this many entries are shown. */
const whenShown = async (rows: Locator, count: number): Promise<number> => {
  const startedAt = performance.now()
  while ((await shown(rows)) < count) {
    if (performance.now() - startedAt > timeoutMs) throw new Error(`only ${await shown(rows)} of ${count} entries were shown`)
    await sleep(5)
  }
  return performance.now() - startedAt
}

/** The virtual list renders only visible rows and stays at its end; the last row carries its position. */
const shown = async (rows: Locator): Promise<number> => Number(await rows.last().getAttribute('aria-posinset'))

/** Intervals between frames drawn by the browser. */
const watchFrames = (page: Page): Promise<void> =>
  page.evaluate(`
    window.frames_ = []
    let last = performance.now()
    const next = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(next) }
    requestAnimationFrame(next)
  `)
