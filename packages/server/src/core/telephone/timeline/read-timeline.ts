import { Problem } from '@offhook/contract/problem.ts'
import type { TimelineEntry, TimelineKind } from '@offhook/contract/v2/timeline.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { viewerOf } from '#core/account/history/own-extensions.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { StoredTimeline } from '#core/kernel/ports/store/call/timelines.ts'
import type { Locale } from '#core/kernel/translations/index.ts'
import { explainEnd } from './explain-end.ts'
import { explainRouting } from './explain-routing.ts'
import type { LiveTimelines } from './live-timelines.ts'
import { entriesAfter } from './pieces.ts'

export interface TimelineReading {
  store: Store
  /** By the names that the caller knows them by. */
  calls: { find(caller: UserCaller, name: string): Promise<{ callId: string } | undefined> }
  timelines: LiveTimelines
}

/** Who reads, and in which language. */
export interface Reader {
  caller: UserCaller
  locale: Locale
}

export interface TimelinePage {
  items: TimelineEntry[]
  more: boolean
  running: boolean
}

const piecesPerBatch = 8
/** A reply does not become longer than about this: meanwhile no other request is served. */
const maxBytes = 512 * 1024

/** Finds the call that the caller may look at, by the name that the caller knows it by: as long as it runs, and as the history tells of it. */
export const findTimeline = async (
  { store, calls, timelines }: TimelineReading,
  caller: UserCaller,
  name: string,
): Promise<{ callId: string; row: StoredTimeline | undefined }> => {
  const running = await calls.find(caller, name)
  const callId = running?.callId ?? name
  await timelines.flush()
  const row = await store.read.timelines.find(caller.accountId, callId)
  if (!running && !(row && (await mayLook(store, caller, row)))) throw new Problem('timeline_not_found')
  return { callId, row }
}

export const readTimeline = async (
  reading: TimelineReading,
  reader: Reader,
  name: string,
  { after = 0, limit = 500 }: { after?: number | undefined; limit?: number | undefined } = {},
): Promise<TimelinePage> => {
  const { callId, row } = await findTimeline(reading, reader.caller, name)
  const page = await readPage(reading.store, reader, callId, { after, limit })
  return { ...page, running: row ? await isRunning(reading, row) : true }
}

/** What follows. More than one is always given if there is more than one, whatever it takes. */
export const readPage = async (
  store: Store,
  reader: Reader,
  callId: string,
  { after, limit, bytes = maxBytes }: { after: number; limit: number; bytes?: number },
): Promise<Omit<TimelinePage, 'running'>> => {
  const items: TimelineEntry[] = []
  let [last, read] = [after, 0]
  for (;;) {
    const pieces = await store.read.timelines.listPieces(reader.caller.accountId, callId, last, piecesPerBatch)
    for (const piece of pieces) {
      if (items.length > 0 && read + piece.entries.length > bytes) return { items, more: true }
      for (const entry of entriesAfter(piece, last)) {
        if (!maySee(reader, entry)) continue
        if (items.length === limit) return { items, more: true }
        items.push(asSeenBy(reader, entry))
      }
      last = piece.last
      read += piece.entries.length
    }
    if (pieces.length < piecesPerBatch) return { items, more: false }
  }
}

/** Addresses, answers and notes of endpoints are the flow's: only tokens that may read flows see them. */
export const maySee = ({ caller }: Reader, { kind }: TimelineEntry): boolean => !ofFlow.has(kind) || caller.scopes.includes('all')

const ofFlow = new Set<TimelineKind>(['attempt', 'message', 'note'])

export const asSeenBy = ({ locale }: Reader, entry: TimelineEntry): TimelineEntry => {
  if (entry.kind === 'routing') return { ...entry, explanation: explainRouting(entry, locale) }
  return entry.kind === 'call' && entry.state === 'ended' ? { ...entry, explanation: explainEnd(entry, locale) } : entry
}

/** Users of the call's parties may look as long as it lasts; then all that may read its history entry. */
const mayLook = async (store: Store, caller: UserCaller, { accountId, callId, userIds, closedAt }: StoredTimeline): Promise<boolean> => {
  if (caller.admin) return true
  if (closedAt === undefined && userIds.includes(caller.userId)) return true
  const { read } = store
  const [entries, viewer] = await Promise.all([read.history.listBySession(accountId, callId), viewerOf(read, accountId, caller.userId)])
  for (const { id } of entries) if (await read.history.find(accountId, id, viewer)) return true
  return false
}

/** A call whose process is gone is over, even if that is not written yet. */
export const isRunning = async (
  { store, timelines }: TimelineReading,
  { accountId, callId, endedAt, owner }: StoredTimeline,
): Promise<boolean> => {
  if (endedAt !== undefined) return false
  return timelines.isRunning(accountId, callId) || (await store.read.leases.find(owner)) !== undefined
}
