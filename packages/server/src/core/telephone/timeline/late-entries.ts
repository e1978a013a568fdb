import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { redactHappening, redactorFor } from './redact-happening.ts'
import { Noted, type Happening } from './noted.ts'
import { piecesOf } from './pieces.ts'
import type { Origin } from './watchers.ts'

/** Another process may still be about to write what was before. */
const againMs = 2_000
const mostTries = 15

export interface LateEntry {
  accountId: string
  callId: string
  happening: Happening
  at: number
}

export interface LateEntriesParts {
  store: Store
  clock: Clock
  told: (origin: Origin, noted: Noted) => void
  onError: (error: unknown) => void
}

/** What is noted when a timeline is closed already, as attempts to tell the end of a session are: it gets the next place in the store. */
export class LateEntries {
  readonly #parts: LateEntriesParts
  readonly #timers = new Set<() => void>()
  #adding: Promise<void> = Promise.resolve()

  constructor(parts: LateEntriesParts) {
    this.#parts = parts
  }

  /** `before`: writes what comes before it. */
  add(entry: LateEntry, before: () => Promise<void>, tries = 1): void {
    this.#adding = this.#adding.then(async () => {
      try {
        await before()
        if ((await this.#append(entry)) === 'open' && tries < mostTries) this.#later(() => this.add(entry, before, tries + 1))
      } catch (error) {
        this.#parts.onError(error)
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
    const appended = await this.#parts.store.write((tables) => append(tables, entry))
    if (appended === 'open') return 'open'
    if (appended) this.#parts.told(appended.origin, appended.noted)
    return 'done'
  }

  #later(work: () => void): void {
    const cancel = this.#parts.clock.after(againMs, () => {
      this.#timers.delete(cancel)
      work()
    })
    this.#timers.add(cancel)
  }
}

/** Part of a transaction. `open`: its owner still adds to it. Undefined: there is none, or it was erased. */
const append = async (tables: Tables, { accountId, callId, happening, at }: LateEntry) => {
  const row = await tables.timelines.lock(accountId, callId)
  if (!row) return undefined
  if (row.closedAt === undefined) return 'open'
  const flow = row.flowId === undefined ? undefined : await tables.flows.find(accountId, row.flowId)
  const redactor = flow && redactorFor(flow.settings)
  return {
    origin: row,
    noted: await addNext(tables, { ...row, changedAt: at }, redactor ? redactHappening(happening, redactor) : happening),
  }
}

/** Part of a transaction that has locked the timeline. */
export const addNext = async (
  { timelines }: Tables,
  row: NonNullable<Awaited<ReturnType<Tables['timelines']['lock']>>>,
  happening: Happening,
): Promise<Noted> => {
  const { callId, flowId, changedAt } = row
  const place = { callId, sequence: row.lastSequence + 1, at: Math.round(changedAt), ...(flowId !== undefined && { flowId }) }
  const noted = new Noted({ ...place, ...happening })
  const changed = { ...row, changedAt: Math.round(changedAt), lastSequence: place.sequence }
  await timelines.write([{ row: changed, isNew: false, rowChanged: true, pieces: piecesOf([noted]) }])
  return noted
}
