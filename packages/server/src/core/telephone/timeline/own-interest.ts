import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Neighbours } from '#core/kernel/ports/neighbours.ts'
import { beginSubject, entrySubject, helloSubject, interestSubject, renewMs, type Interest, type ToldElsewhere } from './others-interest.ts'
import type { Watchers } from './watchers.ts'

/** How long the others may take to write what they noted. */
const writeMs = 2_000

export interface OwnInterestParts {
  bus: Bus
  neighbours: Pick<Neighbours, 'others'>
  clock: Clock
  owner: string
}

/** Tells other processes what the watchers here want to know, and hears it from them. */
export class OwnInterest {
  readonly #parts: OwnInterestParts
  readonly #watchers: Watchers
  readonly #heard: (told: ToldElsewhere) => void
  /** By account. */
  readonly #hearing = new Map<string, () => void>()
  readonly #leave: (() => void)[]
  #cancelTimer: (() => void) | undefined

  constructor(parts: OwnInterestParts, watchers: Watchers, heard: (told: ToldElsewhere) => void) {
    this.#parts = parts
    this.#watchers = watchers
    this.#heard = heard
    const tellAgain = (): void => {
      if (watchers.accountIds.length > 0) this.#tell()
    }
    this.#leave = [parts.bus.hear(helloSubject, tellAgain), parts.bus.onConnection(tellAgain)]
  }

  /** Somebody watches from now on. Resolves when the others tell what happens, and what was before is in the store. */
  async begin(): Promise<void> {
    const { bus, neighbours } = this.#parts
    this.#hear()
    this.#renewLater()
    const expected = neighbours.others().length + 1
    if (expected === 1 || !bus.connected) return
    await bus.askAll(beginSubject, this.#interest, { ms: writeMs, expected })
  }

  /** Somebody watches no more. */
  end(): void {
    this.#hear()
    this.#tell()
  }

  close(): void {
    this.#cancelTimer?.()
    for (const leave of [...this.#leave, ...this.#hearing.values()]) leave()
  }

  #tell(): void {
    this.#parts.bus.tell(interestSubject, this.#interest)
  }

  get #interest(): Interest {
    return { from: this.#parts.owner, accounts: this.#watchers.wanted }
  }

  #hear(): void {
    const { bus, owner } = this.#parts
    for (const accountId of this.#watchers.accountIds) {
      if (this.#hearing.has(accountId)) continue
      const leave = bus.hear(entrySubject(accountId, '*'), (told) => {
        if ((told as ToldElsewhere).from !== owner) this.#heard(told as ToldElsewhere)
      })
      this.#hearing.set(accountId, leave)
    }
    for (const [accountId, leave] of this.#hearing) {
      if (this.#watchers.has(accountId)) continue
      leave()
      this.#hearing.delete(accountId)
    }
  }

  #renewLater(): void {
    this.#cancelTimer ??= this.#parts.clock.after(renewMs, () => {
      this.#cancelTimer = undefined
      if (this.#watchers.accountIds.length === 0) return
      this.#tell()
      this.#renewLater()
    })
  }
}
