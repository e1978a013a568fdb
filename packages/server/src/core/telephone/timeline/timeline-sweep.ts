import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { more, type Recurring } from '#core/kernel/work/recurring.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { entriesAfter } from './pieces.ts'

const hour = 3_600_000
const day = 24 * hour
/** Rows per transaction: writers queue behind it, and each may be long. */
const batchSize = 20

const accountJob = 'timeline.erase-account'
/** Milliseconds until calls that started at the last moment are written, too. */
const lastMomentMs = 60_000

/** `retentionDays` undefined: forever; 0: none, and existing timelines are erased. */
export const timelineSweep = (retentionDays: number | undefined): Recurring => ({
  kind: 'timeline.sweep',
  intervalMs: hour,
  run: async ({ timelines }, now) => {
    if (retentionDays === undefined) return undefined
    return (await timelines.removeBefore(now - retentionDays * day, batchSize)) === batchSize ? more : undefined
  },
})

/** Erases older timelines of one account. Yields after each transaction. */
export async function* eraseTimelinesBefore({ store }: { store: Store }, accountId: string, before: number): AsyncGenerator<void> {
  while ((await store.write(({ timelines }) => timelines.removeOfBefore(accountId, before, batchSize))) === batchSize) yield
  yield
}

/** Part of the transaction that closes the account. */
export const eraseTimelinesOf = (tables: Tables, accountId: string, at: number): Promise<void> =>
  tables.jobs.schedule({ id: `${accountJob}:${accountId}`, kind: accountJob, payload: { accountId }, dueAt: at + lastMomentMs })

export const timelineJobs = ({ store }: { store: Store }): Record<string, Task> => ({
  [accountJob]: async (payload) => {
    const { accountId } = payload as { accountId: string }
    while ((await store.write(({ timelines }) => timelines.removeOf(accountId, batchSize))) === batchSize);
  },
})

/** Placeholder for erased words. */
const gone = '…'
/** Pieces of one call per transaction; each is up to 128 kB of JSON. */
const piecesPerBatch = 4
const concurrentCalls = 20

/** Erases the words in older timelines; steps and times stay. Yields after each transaction. */
export async function* eraseWordsBefore(
  { store, clock }: { store: Store; clock: Clock },
  accountId: string,
  before: number,
): AsyncGenerator<void> {
  for (;;) {
    const callIds = await store.read.timelines.listWithWords(accountId, before, concurrentCalls)
    for (const callId of callIds) {
      yield* eraseWordsOf(store, accountId, callId)
      await store.write(({ timelines }) => timelines.noteWordsErased(accountId, callId, clock.now()))
      yield
    }
    if (callIds.length < concurrentCalls) return
  }
}

async function* eraseWordsOf(store: Store, accountId: string, callId: string): AsyncGenerator<void> {
  let after = 0
  for (;;) {
    const pieces = await store.read.timelines.listPieces(accountId, callId, after, piecesPerBatch)
    const last = pieces.at(-1)
    if (!last) return
    await store.write(async ({ timelines }) => {
      for (const piece of pieces) {
        const entries = JSON.stringify(entriesAfter(piece, 0).map(withoutWords))
        await timelines.rewritePiece(accountId, callId, { first: piece.first, entries })
      }
    })
    after = last.last
    yield
  }
}

const withoutWords = (entry: TimelineEntry): TimelineEntry => (ways[entry.kind] as (one: TimelineEntry) => TimelineEntry)(entry)

/** Keeps only the type of an event or action. */
const typeOf = (value: unknown): { type?: unknown } => {
  const { type } = Object(value) as { type?: unknown }
  return type === undefined ? {} : { type }
}

const eraseAttempt = ({ request, response, error, ...attempt }: TimelineEntryOf<'attempt'>): TimelineEntry => ({
  ...attempt,
  ...(request && { request: { ...request, body: '' } }),
  ...(response && { response: { ...response, body: '' } }),
  ...(error !== undefined && { error: gone }),
})

const eraseSpoke = ({ text: _text, cutBy, ...spoke }: TimelineEntryOf<'spoke'>): TimelineEntry => ({
  ...spoke,
  ...(cutBy && { cutBy: { ...cutBy, text: gone } }),
})

const keep = (entry: TimelineEntry): TimelineEntry => entry

/** DTMF digits count as words. */
const ways: { [K in TimelineEntry['kind']]: (entry: TimelineEntryOf<K>) => TimelineEntry } = {
  call: keep,
  routing: keep,
  sound: keep,
  quality: keep,
  voice: keep,
  briefing: keep,
  ducked: keep,
  discarded: keep,
  turn: keep,
  heard: (entry) => ({ ...entry, text: gone }),
  key: (entry) => ({ ...entry, digit: gone }),
  event: (entry) => ({ ...entry, body: typeOf(entry.body) }),
  attempt: eraseAttempt,
  message: (entry) => ({ ...entry, body: '' }),
  action: (entry) => ({ ...entry, action: typeOf(entry.action) }),
  speaks: ({ text: _text, ...entry }) => entry,
  spoke: eraseSpoke,
  unclear: ({ text: _text, ...entry }) => entry,
  filler: (entry) => ({ ...entry, text: gone }),
  backchannel: (entry) => ({ ...entry, text: gone }),
  note: ({ data: _data, ...entry }) => entry,
  problem: (entry) => ({ ...entry, message: gone }),
}
