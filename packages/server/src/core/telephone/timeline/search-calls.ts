import { Problem } from '@offhook/contract/problem.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { CallSearch, FoundCall, FoundCalls } from '#core/kernel/ports/store/call/call-search.ts'

type Wordless = TimelineEntryOf<'call'> | TimelineEntryOf<'sound'> | TimelineEntryOf<'quality'>

const wordless: ReadonlySet<string> = new Set<Wordless['kind']>(['call', 'sound', 'quality'])

/** About 20 ms of SQLite: meanwhile no call is served. */
const mostRead = 20_000
const fewestDigits = 3
const piecesAtOnce = 20
/** Of entries without words; hours of talking have fewer. */
const mostEntries = 2_000

/** `written`: the id of a call, or digits of a number as people write them. */
export const searchCalls = (
  store: Store,
  { written, ...wish }: Omit<CallSearch, 'callId' | 'digits' | 'mostRead'> & { written?: string | undefined },
): Promise<FoundCalls> => store.read.callSearches.search({ ...wish, ...soughtIn(written), mostRead })

const soughtIn = (written = ''): Pick<CallSearch, 'callId' | 'digits'> => {
  const sought = written.trim()
  if (sought === '') return {}
  if (/[a-z]/i.test(sought)) return { callId: sought }
  const digits = sought.replaceAll(/[\s()/.+-]/g, '').replace(/^0+(?=[1-9])/, '')
  if (!/^[0-9]+$/.test(digits) || digits.length < fewestDigits)
    throw Problem.field('search', `must be the id of a call, or at least ${fewestDigits} digits of a number`)
  return { digits }
}

/** One call of an account with what happened in it, without what was said. */
export const readCallWithoutWords = async (
  { read: { timelines, callSearches } }: Store,
  accountId: string,
  callId: string,
): Promise<{ call: FoundCall; entries: Wordless[] }> => {
  const row = await timelines.find(accountId, callId)
  const before = (row?.startedAt ?? 0) + 1
  const found = row && (await callSearches.search({ accountId, callId, before, from: row.startedAt, limit: 1, mostRead }))
  const [call] = found?.items ?? []
  if (!call) throw new Problem('timeline_not_found')
  const entries: Wordless[] = []
  for (let after = 0, more = true; more && entries.length < mostEntries;) {
    const pieces = await timelines.listPieces(accountId, callId, after, piecesAtOnce)
    for (const piece of pieces) entries.push(...(JSON.parse(piece.entries) as Wordless[]).filter(({ kind }) => wordless.has(kind)))
    after = pieces.at(-1)?.last ?? after
    more = pieces.length === piecesAtOnce
  }
  return { call, entries }
}
