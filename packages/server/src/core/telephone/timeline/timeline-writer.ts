import type { Clock } from '#core/kernel/ports/platform.ts'
import { StoreUnavailable, type Store, type Tables } from '#core/kernel/ports/store/index.ts'
import { CollectedWrites } from '#core/kernel/work/write-behind.ts'
import { type Noted, piecesOf } from './pieces.ts'
import type { Draft, Timeline } from './timeline.ts'

/** Timelines per transaction: writers queue behind it. */
const batchSize = 100
/** Maximum queued bytes: a longer database outage leaves a gap. */
const maxQueuedBytes = 32 * 1024 * 1024

interface TimelineWriterDeps {
  store: Store
  clock: Clock
  onError: (error: unknown) => void
}

/** Writes timelines in the background: all changed ones together, with retries while the database is unavailable. */
export class TimelineWriter {
  readonly #deps: TimelineWriterDeps
  readonly #changed = new Set<Timeline>()
  readonly #writes: CollectedWrites
  #waitingBytes = 0

  constructor(deps: TimelineWriterDeps) {
    this.#deps = deps
    this.#writes = new CollectedWrites({ clock: deps.clock, write: () => this.#writeAll() })
  }

  /** False when the queue is full. */
  put(timeline: Timeline, noted?: Noted): boolean {
    const bytes = noted?.bytes ?? 0
    if (this.#waitingBytes + bytes > maxQueuedBytes) return false
    this.#waitingBytes += bytes
    this.#changed.add(timeline)
    this.#writes.schedule()
    return true
  }

  /** Removes entries that will not be written. */
  drop(noted: readonly Noted[]): void {
    for (const { bytes } of noted) this.#waitingBytes -= bytes
  }

  flush(): Promise<void> {
    return this.#writes.flush()
  }

  close(): Promise<void> {
    return this.#writes.close()
  }

  async #writeAll(): Promise<void> {
    while (this.#changed.size > 0) {
      const batch = [...this.#changed].slice(0, batchSize)
      for (const timeline of batch) this.#changed.delete(timeline)
      const drafts = batch.flatMap((timeline) => timeline.take() ?? [])
      if (drafts.length > 0 && !(await this.#write(drafts))) return this.#writes.schedule()
    }
  }

  /** False when it has to be retried. */
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

  /** A timeline that cannot be written must not block the others. */
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

/** False for each timeline erased since: no entries are added then. */
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
