import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Noted } from './noted.ts'
import type { Origin, Wanted } from './watchers.ts'

/** What the watchers at one process want to know; it takes the place of what they wanted before. */
export interface Interest {
  from: string
  accounts: readonly Wanted[]
}

/** An entry on its way to another process. */
export interface RemoteNotification {
  from: string
  origin: Origin
  sequence: number
  /** None: it is too long for the bus and will be found in the store. */
  entry?: TimelineEntry
  /** Of before the flow of the call was known: only for those who watch the flow. */
  early?: true
}

export const interestSubject = 'timelines.interest'
/** The same with a reply: what was noted until now is in the store when it comes. */
export const beginSubject = 'timelines.begin'
/** A process that does not know what others want asks for it. */
export const helloSubject = 'timelines.hello'
/** `*`: all calls of the account. */
export const entrySubject = (accountId: string, callId: string): string => `timeline.${accountId}.${callId}`

export const renewMs = 10_000
/** Interest that is not renewed is forgotten: its process is gone. */
const retentionMs = 3 * renewMs
const maxBytes = 64 * 1024

export interface OthersInterestDeps {
  bus: Bus
  clock: Clock
  owner: string
  /** Writes what was noted. */
  write: () => Promise<void>
}

interface StoredSubscription {
  untilMs: number
  callIds: ReadonlySet<string> | undefined
}

/** What watchers at other processes want to know of the calls here; what nobody wants to know is told to nobody. */
export class RemoteSubscribers {
  readonly #deps: OthersInterestDeps
  /** By account, then by process. */
  readonly #wanted = new Map<string, Map<string, StoredSubscription>>()
  readonly #leave: (() => void)[]

  constructor(deps: OthersInterestDeps) {
    const { bus, owner } = deps
    this.#deps = deps
    const hello = (): void => bus.notify(helloSubject, {})
    this.#leave = [
      bus.hear(interestSubject, (interest) => this.#note(interest as Interest)),
      bus.answer(beginSubject, async (interest) => {
        this.#note(interest as Interest)
        await deps.write()
        return owner
      }),
      bus.onConnection((connected) => {
        if (connected) hello()
      }),
    ]
    hello()
  }

  has(accountId: string, callId: string): boolean {
    const now = this.#deps.clock.elapsed()
    for (const { untilMs, callIds } of this.#wanted.get(accountId)?.values() ?? [])
      if (untilMs > now && (callIds === undefined || callIds.has(callId))) return true
    return false
  }

  notify({ accountId, callId, flowId, userIds }: Origin, noted: Noted, early: boolean): void {
    if (!this.has(accountId, callId)) return
    const { bus, owner: from } = this.#deps
    const { entry, bytes } = noted
    const origin: Origin = { accountId, callId, flowId, userIds: [...userIds] }
    const notified: RemoteNotification = { from, origin, sequence: entry.sequence, ...(bytes <= maxBytes && { entry }), ...(early && { early }) }
    bus.notify(entrySubject(accountId, callId), notified)
  }

  close(): void {
    for (const leave of this.#leave) leave()
  }

  #note({ from, accounts }: Interest): void {
    if (from === this.#deps.owner) return
    for (const [accountId, byProcess] of this.#wanted) if (byProcess.delete(from) && byProcess.size === 0) this.#wanted.delete(accountId)
    const untilMs = this.#deps.clock.elapsed() + retentionMs
    for (const { accountId, callIds } of accounts) {
      const byProcess = this.#wanted.get(accountId) ?? new Map<string, StoredSubscription>()
      this.#wanted.set(accountId, byProcess.set(from, { untilMs, callIds: callIds && new Set(callIds) }))
    }
  }
}
