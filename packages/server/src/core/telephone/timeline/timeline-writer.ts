import type { Clock } from '#core/kernel/ports/clock.ts'
import { StoreUnavailable, type Store, type Tables } from '#core/kernel/ports/store/index.ts'
import type { Noted } from './noted.ts'
import { piecesOf } from './pieces.ts'
import type { Draft, Timeline } from './timeline.ts'

/** How long an entry may wait for others to be written with it. */
const collectMs = 500
/** Timelines in one transaction: writers queue behind it. */
const concurrency = 100
/** More than this is never held: when the database is away for longer, there is a gap. */
const maxQueuedBytes = 32 * 1024 * 1024

export interface TimelineWriterDeps {
  store: Store
  clock: Clock
  onError: (error: unknown) => void
}

/** Writes timelines down beside what happens and never in its way: all that have changed at once, again when the database was away. */
export class TimelineWriter {
  readonly #deps: TimelineWriterDeps
  readonly #changed = new Set<Timeline>()
  #waitingBytes = 0
  #cancelTimer: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()
  #closed = false

  constructor(deps: TimelineWriterDeps) {
    this.#deps = deps
  }

  /** False when there is no room for the entry. */
  put(timeline: Timeline, noted?: Noted): boolean {
    const bytes = noted?.bytes ?? 0
    if (this.#waitingBytes + bytes > maxQueuedBytes) return false
    this.#waitingBytes += bytes
    this.#changed.add(timeline)
    this.#schedule()
    return true
  }

  /** What was put is not to be written after all. */
  drop(noted: readonly Noted[]): void {
    for (const { bytes } of noted) this.#waitingBytes -= bytes
  }

  /** Everything until now is written, or could not be. */
  async flush(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#writing = this.#writing.then(() => this.#writeAll())
    await this.#writing
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.flush()
  }

  #schedule(): void {
    if (!this.#closed) this.#cancelTimer ??= this.#deps.clock.after(collectMs, () => void this.flush())
  }

  async #writeAll(): Promise<void> {
    while (this.#changed.size > 0) {
      const batch = [...this.#changed].slice(0, concurrency)
      for (const timeline of batch) this.#changed.delete(timeline)
      const drafts = batch.flatMap((timeline) => timeline.take() ?? [])
      if (drafts.length > 0 && !(await this.#write(drafts))) return this.#schedule()
    }
  }

  /** False when it has to be tried again later. */
  async #write(drafts: readonly Draft[]): Promise<boolean> {
    try {
      await this.#writeTogether(drafts)
      return true
    } catch (error) {
      this.#deps.onError(error)
      if (!(error instanceof StoreUnavailable)) return this.#writeEach(drafts)
      for (const draft of drafts) {
        draft.timeline.notWritten(draft)
        this.#changed.add(draft.timeline)
      }
      return false
    }
  }

  async #writeTogether(drafts: readonly Draft[]): Promise<void> {
    const found = await this.#deps.store.write((tables) => writeDrafts(tables, drafts))
    for (const [index, draft] of drafts.entries()) this.#written(draft, found[index] ?? false)
  }

  /** One that cannot be written at all must not keep the others from it. */
  async #writeEach(drafts: readonly Draft[]): Promise<boolean> {
    for (const draft of drafts) {
      const [found = false] = await this.#deps.store.write((tables) => writeDrafts(tables, [draft])).catch(() => [])
      this.#written(draft, found)
    }
    return true
  }

  #written(draft: Draft, found: boolean): void {
    this.drop(draft.noted)
    draft.timeline.written(draft, found)
  }
}

/** False for each that was erased meanwhile: then nothing is added. */
const writeDrafts = async ({ timelines }: Tables, drafts: readonly Draft[]): Promise<boolean[]> => {
  const kept = drafts.filter(({ erase }) => !erase)
  const found = kept.length === 0 ? [] : await timelines.write(kept.map((draft) => ({ ...draft, pieces: piecesOf(draft.noted) })))
  const outcomes: boolean[] = []
  for (const draft of drafts) {
    const { accountId, callId } = draft.row
    outcomes.push(draft.erase ? await timelines.remove(accountId, callId) : (found[kept.indexOf(draft)] ?? false))
  }
  return outcomes
}
