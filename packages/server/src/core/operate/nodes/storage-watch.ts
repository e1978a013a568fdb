import { StoreFull, type Store } from '#core/kernel/ports/store/index.ts'
import { withWrites } from '#core/kernel/watched-store.ts'

/** Whether the disk has space, according to the last write. Every process writes heartbeats, so the state is soon updated. */
export class StorageWatch {
  readonly #changed: (full: boolean) => void
  #full = false

  constructor(changed: (full: boolean) => void) {
    this.#changed = changed
  }

  get full(): boolean {
    return this.#full
  }

  watch(store: Store): Store {
    return withWrites(store, async (work, patient) => {
      try {
        const result = await store.write(work, patient)
        this.#note(false)
        return result
      } catch (error) {
        if (error instanceof StoreFull) this.#note(true)
        throw error
      }
    })
  }

  #note(full: boolean): void {
    if (full === this.#full) return
    this.#full = full
    this.#changed(full)
  }
}
