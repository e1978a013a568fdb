import { Problem } from '@offhook/contract/problem.ts'
import type { TimelineEntry, TimelineKind } from '@offhook/contract/v2/timeline.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { scopeOf } from '#core/account/identity/caller/grants.ts'
import { viewerOf } from '#core/account/history/own-extensions.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { StoredTimeline } from '#core/kernel/ports/store/call.ts'
import type { Locale } from '#core/kernel/translations/index.ts'
import { explainEnd, explainRouting } from './explained.ts'
import type { LiveTimelines } from './live-timelines.ts'
import { entriesAfter } from './pieces.ts'

export interface TimelineReading {
  store: Store
  /** Finds calls by the names the caller knows. */
  calls: { find(caller: UserCaller, name: string): Promise<{ callId: string } | undefined> }
  timelines: LiveTimelines
}

/** Reader and language. */
export interface Reader {
  caller: UserCaller
  locale: Locale
}

interface TimelinePage {
  items: TimelineEntry[]
  more: boolean
  running: boolean
}

const piecesPerBatch = 8
/** Approximate maximum size of a reply, because building it blocks the event loop. */
const maxBytes = 512 * 1024

/** Finds a call by a name the caller knows, if the caller may see it: while it runs, or through its history entry. */
export const findTimeline = async (
  { store, calls, timelines }: TimelineReading,
  caller: UserCaller,
  name: string,
): Promise<{ callId: string; row: StoredTimeline | undefined }> => {
  const running = await calls.find(asController(caller), name)
  const callId = running?.callId ?? name
  await timelines.flush()
  const row = await store.read.timelines.find(caller.accountId, callId)
  if (!running && !(row && (await mayLook(store, caller, row)))) throw new Problem('timeline_not_found')
  return { callId, row }
}

/** Running calls are found by the permission to control them; here the permission to read counts. */
const asController = (caller: UserCaller): UserCaller => {
  const { CAN_GET_HISTORY: granted, ...others } = caller.grants ?? {}
  return caller.grants ? { ...caller, grants: { ...others, ...(granted && { CAN_CONTROL_CALLS: granted }) } } : caller
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

/** Next entries. Returns at least one entry if there are any, whatever its size. */
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

/** Addresses, answers and notes of endpoints belong to the flow: only tokens and roles that may read flows see them. */
export const maySee = ({ caller }: Reader, { kind }: TimelineEntry): boolean =>
  !ofFlow.has(kind) || (caller.scopes.includes('all') && (!caller.grants || caller.grants.CAN_GET_FLOWS !== undefined))

const ofFlow = new Set<TimelineKind>(['attempt', 'message', 'note'])

export const asSeenBy = ({ locale }: Reader, entry: TimelineEntry): TimelineEntry => {
  if (entry.kind === 'routing') return { ...entry, explanation: explainRouting(entry, locale) }
  return entry.kind === 'call' && entry.state === 'ended' ? { ...entry, explanation: explainEnd(entry, locale) } : entry
}

/** Users of the call's parties have access while it lasts; afterwards all that may read its history entry. */
const mayLook = async (store: Store, caller: UserCaller, { accountId, callId, userIds, closedAt }: StoredTimeline): Promise<boolean> => {
  if (caller.admin) return true
  if (closedAt === undefined && userIds.includes(caller.userId) && !scopeOf(caller, 'CAN_GET_HISTORY')) return true
  const { read } = store
  const [entries, viewer] = await Promise.all([read.history.listBySession(accountId, callId), viewerOf(read, accountId, caller.userId)])
  for (const { id } of entries) if (await read.history.find(accountId, id, viewer)) return true
  return false
}

/** A call whose node is gone has ended, even if that is not written yet. */
const isRunning = async (
  { store, timelines }: TimelineReading,
  { accountId, callId, endedAt, owner }: StoredTimeline,
): Promise<boolean> => {
  if (endedAt !== undefined) return false
  return timelines.isRunning(accountId, callId) || (await store.read.leases.find(owner)) !== undefined
}

const pageEntries = 1000

/** All entries of a call the reader may see, without message bodies. */
export interface WholeTimeline {
  callId: string
  entries: TimelineEntry[]
  running: boolean
}

export const readWhole = async (reading: TimelineReading, reader: Reader, name: string): Promise<WholeTimeline> => {
  const { callId, row } = await findTimeline(reading, reader.caller, name)
  const entries: TimelineEntry[] = []
  for (let more = true; more;) {
    const after = entries.at(-1)?.sequence ?? 0
    const page = await readPage(reading.store, reader, callId, { after, limit: pageEntries })
    for (const entry of page.items) entries.push(withoutBytes(entry))
    more = page.more
  }
  return { callId, entries, running: row ? await isRunning(reading, row) : true }
}

const withoutBytes = (entry: TimelineEntry): TimelineEntry => {
  if (entry.kind === 'message') return { ...entry, body: '' }
  if (entry.kind !== 'attempt') return entry
  const { request: _request, response: _response, ...attempt } = entry
  return attempt
}
