import { Problem } from '@offhook/contract/problem.ts'
import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { CallSearch, FoundCall, FoundCalls, StoredTimeline } from '#core/kernel/ports/store/call.ts'
import { entriesAfter } from './pieces.ts'

type NonSpeechEntry = TimelineEntryOf<'call'> | TimelineEntryOf<'sound'> | TimelineEntryOf<'quality'>

const isWordless = (entry: TimelineEntry): entry is NonSpeechEntry =>
  entry.kind === 'call' || entry.kind === 'sound' || entry.kind === 'quality'

/** About 20 ms of SQLite, which blocks the event loop. */
const maxRead = 20_000
const minDigits = 3
const piecesPerBatch = 20
/** Maximum entries without words; hours of talk have fewer. */
const maxEntries = 2_000

/** `written`: id of a call, or digits of a number as typed by users. */
export const searchCalls = (
  store: Store,
  { written, ...input }: Omit<CallSearch, 'callId' | 'digits' | 'mostRead'> & { written?: string | undefined },
): Promise<FoundCalls> => store.read.callSearches.search({ ...input, ...soughtIn(written), mostRead: maxRead })

const soughtIn = (written = ''): Pick<CallSearch, 'callId' | 'digits'> => {
  const sought = written.trim()
  if (sought === '') return {}
  if (/[a-z]/i.test(sought)) return { callId: sought }
  const digits = sought.replaceAll(/[\s()/.+-]/g, '').replace(/^0+(?=[1-9])/, '')
  if (!/^[0-9]+$/.test(digits) || digits.length < minDigits)
    throw Problem.field('search', `must be the id of a call, or at least ${minDigits} digits of a number`)
  return { digits }
}

/** One call of an account with its entries, without words. */
export const readCallWithoutWords = async (
  { read: { timelines } }: Store,
  accountId: string,
  callId: string,
): Promise<{ call: FoundCall; entries: NonSpeechEntry[] }> => {
  const row = await timelines.find(accountId, callId)
  if (!row) throw new Problem('timeline_not_found')
  const entries: NonSpeechEntry[] = []
  for (let after = 0, more = true; more && entries.length < maxEntries;) {
    const pieces = await timelines.listPieces(accountId, callId, after, piecesPerBatch)
    for (const piece of pieces) entries.push(...entriesAfter(piece, after).filter(isWordless))
    after = pieces.at(-1)?.last ?? after
    more = pieces.length === piecesPerBatch
  }
  return { call: foundOf(row), entries }
}

const foundOf = ({ accountId, callId, flowId, source, target, startedAt, endedAt, endReason, trunkId }: StoredTimeline): FoundCall => ({
  accountId,
  callId,
  flowId,
  from: source,
  to: target,
  startedAt,
  endedAt,
  reason: endReason,
  trunkId,
})
