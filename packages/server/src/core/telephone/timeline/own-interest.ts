import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { PeerNodes } from '#core/kernel/ports/neighbours.ts'
import { beginSubject, entrySubject, helloSubject, interestSubject, renewMs, type Interest, type RemoteNotification } from './others-interest.ts'
import type { Watchers } from './watchers.ts'

/** How long the others may take to write what they noted. */
const writeMs = 2_000

export interface OwnInterestDeps {
  bus: Bus
  neighbours: Pick<PeerNodes, 'others'>
  clock: Clock
  owner: string
}

/** Tells other processes what the watchers here want to know, and hears it from them. */
export class LocalSubscribers {
  readonly #deps: OwnInterestDeps
  readonly #watchers: Watchers
  readonly #heard: (notified: RemoteNotification) => void
  /** By account. */
  readonly #hearing = new Map<string, () => void>()
  readonly #leave: (() => void)[]
  #cancelTimer: (() => void) | undefined

  constructor(deps: OwnInterestDeps, watchers: Watchers, heard: (notified: RemoteNotification) => void) {
    this.#deps = deps
    this.#watchers = watchers
    this.#heard = heard
    const notifyAgain = (): void => {
      if (watchers.accountIds.length > 0) this.#notify()
    }
    this.#leave = [deps.bus.hear(helloSubject, notifyAgain), deps.bus.onConnection(notifyAgain)]
  }

  /** Somebody watches from now on. Resolves when the others tell what happens, and what was before is in the store. */
  async begin(): Promise<void> {
    const { bus, neighbours: peerNodes } = this.#deps
    this.#hear()
    this.#renewLater()
    const expected = peerNodes.others().length + 1
    if (expected === 1 || !bus.connected) return
    await bus.askAll(beginSubject, this.#interest, { ms: writeMs, expected })
  }

  /** Somebody watches no more. */
  end(): void {
    this.#hear()
    this.#notify()
  }

  close(): void {
    this.#cancelTimer?.()
    for (const leave of [...this.#leave, ...this.#hearing.values()]) leave()
  }

  #notify(): void {
    this.#deps.bus.notify(interestSubject, this.#interest)
  }

  get #interest(): Interest {
    return { from: this.#deps.owner, accounts: this.#watchers.wanted }
  }

  #hear(): void {
    const { bus, owner } = this.#deps
    for (const accountId of this.#watchers.accountIds) {
      if (this.#hearing.has(accountId)) continue
      const leave = bus.hear(entrySubject(accountId, '*'), (notified) => {
        if ((notified as RemoteNotification).from !== owner) this.#heard(notified as RemoteNotification)
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
    this.#cancelTimer ??= this.#deps.clock.after(renewMs, () => {
      this.#cancelTimer = undefined
      if (this.#watchers.accountIds.length === 0) return
      this.#notify()
      this.#renewLater()
    })
  }
}
