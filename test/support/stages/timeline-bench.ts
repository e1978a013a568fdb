import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { LiveTimelines, type LiveTimelinesParts } from '#core/telephone/timeline/live-timelines.ts'
import { openTestStore, type Database } from '../store/databases.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

/** Timelines of several processes over one store, in virtual time. */
export interface TimelineBench {
  store: Store
  clock: VirtualClock
  accountId: string
  errors: unknown[]
  open(parts?: Partial<LiveTimelinesParts>): LiveTimelines
  kept(callId?: string): Promise<TimelineEntry[]>
}

export const openTimelineBench = async (t: TestContext, database: Database = 'sqlite'): Promise<TimelineBench> => {
  const opened: LiveTimelines[] = []
  t.after(async () => {
    for (const one of opened) await one.close()
    assert.equal(clock.pending(), 0)
  })
  const store = await openTestStore(t, database)
  const clock = new VirtualClock(undefined, async () => {
    for (const one of opened) await one.idle()
  })
  const errors: unknown[] = []
  const wish = { company: 'Example', country: 'DE', locale: 'de_DE', currency: 'EUR' } as const
  const accountId = await store.write((tables) => createAccount(tables, clock, wish))
  return {
    store,
    clock,
    accountId,
    errors,
    open: (parts = {}) => {
      const onError = (error: unknown): void => void errors.push(error)
      const timelines = new LiveTimelines({ store, clock, owner: 'here', keeps: true, shared: false, onError, ...parts })
      opened.push(timelines)
      return timelines
    },
    async kept(callId = 'c1') {
      const pieces = await store.read.timelines.listPieces(accountId, callId, 0, 1000)
      return pieces.flatMap(({ entries }) => JSON.parse(entries) as TimelineEntry[])
    },
  }
}

export const problem = (message: string) => ({ kind: 'problem', message }) as const
export const messages = (entries: readonly TimelineEntry[]): string[] =>
  entries.map((entry) => (entry.kind === 'problem' ? entry.message : entry.kind))

/** Everybody who watches: what they were told. */
export const watchAll = (timelines: LiveTimelines, accountId: string, more: { callId?: string; flowId?: string; userId?: string } = {}) => {
  const told: TimelineEntry[] = []
  const { callId, flowId, userId } = more
  const stop = timelines.watch({ accountId, callId, flowId, userId, tell: ({ entry }) => void told.push(entry) })
  return { told, stop }
}
