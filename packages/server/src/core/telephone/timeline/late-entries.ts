import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { redactEvent, redactorFor } from './concealment.ts'
import { Noted, type TimelineEvent, piecesOf } from './pieces.ts'
import type { Origin } from './watchers.ts'
import type { StoredTimeline } from '#core/kernel/ports/store/call.ts'
import type { Lease } from '#core/kernel/ports/store/work.ts'

/** Another node may still have to write earlier entries. */
const retryMs = 2_000
const maxAttempts = 15

interface LateEntry {
  accountId: string
  callId: string
  event: TimelineEvent
  at: number
}

interface LateEntriesDeps {
  store: Store
  clock: Clock
  onEvent: (origin: Origin, noted: Noted) => void
  onError: (error: unknown) => void
}

/** Appends entries to closed timelines, such as delivery attempts for the end of a session: they get the next sequence in the store. */
export class LateTimelineWriter {
  readonly #deps: LateEntriesDeps
  readonly #timers = new Set<() => void>()
  #adding: Promise<void> = Promise.resolve()

  constructor(deps: LateEntriesDeps) {
    this.#deps = deps
  }

  /** `before`: writes earlier entries first. */
  add(entry: LateEntry, before: () => Promise<void>, tries = 1): void {
    this.#adding = this.#adding.then(async () => {
      try {
        await before()
        if ((await this.#append(entry)) === 'open' && tries < maxAttempts) this.#later(() => this.add(entry, before, tries + 1))
      } catch (error) {
        this.#deps.onError(error)
      }
    })
  }

  idle(): Promise<void> {
    return this.#adding
  }

  async close(): Promise<void> {
    for (const cancel of this.#timers) cancel()
    await this.#adding
  }

  async #append(entry: LateEntry): Promise<'done' | 'open'> {
    const appended = await this.#deps.store.write((tables) => append(tables, entry))
    if (appended === 'open') return 'open'
    if (appended) this.#deps.onEvent(appended.origin, appended.noted)
    return 'done'
  }

  #later(work: () => void): void {
    const cancel = this.#deps.clock.after(retryMs, () => {
      this.#timers.delete(cancel)
      work()
    })
    this.#timers.add(cancel)
  }
}

/** Part of a transaction. `open`: its owner still appends to it. Undefined: missing or erased. */
const append = async (tables: Tables, { accountId, callId, event, at }: LateEntry) => {
  const row = await tables.timelines.lock(accountId, callId)
  if (!row) return undefined
  if (row.closedAt === undefined) return 'open'
  const flow = row.flowId === undefined ? undefined : await tables.flows.find(accountId, row.flowId)
  const redactor = flow && redactorFor(flow.settings)
  return {
    origin: row,
    noted: await addNext(tables, { ...row, changedAt: at }, redactor ? redactEvent(event, redactor) : event),
  }
}

/** Part of a transaction that has locked the timeline. */
const addNext = async (
  { timelines }: Tables,
  row: NonNullable<Awaited<ReturnType<Tables['timelines']['lock']>>>,
  event: TimelineEvent,
): Promise<Noted> => {
  const { callId, flowId, changedAt } = row
  const place = { callId, sequence: row.lastSequence + 1, at: Math.round(changedAt), ...(flowId !== undefined && { flowId }) }
  const noted = new Noted({ ...place, ...event })
  const changed = { ...row, changedAt: Math.round(changedAt), lastSequence: place.sequence }
  await timelines.write([{ row: changed, isNew: false, rowChanged: true, pieces: piecesOf([noted]) }])
  return noted
}

const batchSize = 50

const lost: TimelineEvent = { kind: 'call', state: 'ended', by: 'service', reason: 'service_failure', cause: 'failed' }

/** Ends timelines of a node that is gone. True when there may be more. */
export const endLostTimelines = async ({ store, clock }: { store: Store; clock: Clock }, lease: Lease): Promise<boolean> => {
  const ended = await store.write(async (tables) => {
    if (!(await tables.leases.lock(lease))) return 0
    const open = await tables.timelines.listOpenOf(lease.owner, batchSize)
    for (const row of open) await end(tables, row, Math.round(clock.now()))
    return open.length
  })
  return ended === batchSize
}

/** Part of the transaction that ends a call taken from another node: ends this account's timeline. */
export const endLostTimeline = async (tables: Tables, accountId: string, callId: string, at: number): Promise<void> => {
  const row = await tables.timelines.lock(accountId, callId)
  if (row && row.closedAt === undefined) await end(tables, row, Math.round(at))
}

const end = async (tables: Tables, row: StoredTimeline, at: number): Promise<void> => {
  const closed = { ...row, changedAt: at, endedAt: row.endedAt ?? at, closedAt: at }
  if (row.endedAt === undefined) await addNext(tables, closed, lost)
  else await tables.timelines.write([{ row: closed, isNew: false, rowChanged: true, pieces: [] }])
}
