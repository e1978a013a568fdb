import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { redactEvent, redactorFor } from './redact-happening.ts'
import { Noted, type TimelineEvent } from './noted.ts'
import { piecesOf } from './pieces.ts'
import type { Origin } from './watchers.ts'

/** Another process may still be about to write what was before. */
const retryMs = 2_000
const maxAttempts = 15

export interface LateEntry {
  accountId: string
  callId: string
  happening: TimelineEvent
  at: number
}

export interface LateEntriesDeps {
  store: Store
  clock: Clock
  onEvent: (origin: Origin, noted: Noted) => void
  onError: (error: unknown) => void
}

/** What is noted when a timeline is closed already, as attempts to tell the end of a session are: it gets the next place in the store. */
export class LateTimelineWriter {
  readonly #deps: LateEntriesDeps
  readonly #timers = new Set<() => void>()
  #adding: Promise<void> = Promise.resolve()

  constructor(deps: LateEntriesDeps) {
    this.#deps = deps
  }

  /** `before`: writes what comes before it. */
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

/** Part of a transaction. `open`: its owner still adds to it. Undefined: there is none, or it was erased. */
const append = async (tables: Tables, { accountId, callId, happening: event, at }: LateEntry) => {
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
export const addNext = async (
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
