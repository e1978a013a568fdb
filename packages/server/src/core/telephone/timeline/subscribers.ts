import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { Bus, Clock, PeerNodes } from '#core/kernel/ports/platform.ts'
import type { Noted } from './pieces.ts'
import type { Origin, Wanted, Watchers } from './watchers.ts'

/** Interest of the watchers on one node; replaces the previous one. */
interface Interest {
  from: string
  accounts: readonly Wanted[]
}

/** An entry sent to another node. */
export interface RemoteNotification {
  from: string
  origin: Origin
  sequence: number
  /** Missing: too long for the bus; read it from the store. */
  entry?: TimelineEntry
  /** From before the flow of the call was known: only for watchers of the flow. */
  early?: true
}

const interestSubject = 'timelines.interest'
/** Like `interestSubject`, with a reply once all entries so far are in the store. */
const beginSubject = 'timelines.begin'
/** Sent by a node that does not know the interest of others. */
const helloSubject = 'timelines.hello'
/** `*`: all calls of the account. */
const entrySubject = (accountId: string, callId: string): string => `timeline.${accountId}.${callId}`

const renewMs = 10_000
/** Interest that is not renewed expires: its node is gone. */
const retentionMs = 3 * renewMs
const maxBytes = 64 * 1024

interface OthersInterestDeps {
  bus: Bus
  clock: Clock
  owner: string
  /** Writes pending entries. */
  write: () => Promise<void>
}

interface StoredSubscription {
  untilMs: number
  callIds: ReadonlySet<string> | undefined
}

/** Interest of watchers on other nodes in local calls; entries without interest are not sent. */
export class RemoteSubscribers {
  readonly #deps: OthersInterestDeps
  /** Keyed by account, then by node. */
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

  notify({ accountId, callId, flowId, userIds, extensions = [] }: Origin, noted: Noted, early: boolean): void {
    if (!this.has(accountId, callId)) return
    const { bus, owner: from } = this.#deps
    const { entry, bytes } = noted
    const origin: Origin = { accountId, callId, flowId, userIds: [...userIds], extensions: [...extensions] }
    const notified: RemoteNotification = {
      from,
      origin,
      sequence: entry.sequence,
      ...(bytes <= maxBytes && { entry }),
      ...(early && { early }),
    }
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

/** Milliseconds other nodes may take to write their entries. */
const writeMs = 2_000

interface OwnInterestDeps {
  bus: Bus
  peerNodes: Pick<PeerNodes, 'others'>
  clock: Clock
  owner: string
}

/** Publishes the interest of local watchers to other nodes and receives their entries. */
export class LocalSubscribers {
  readonly #deps: OwnInterestDeps
  readonly #watchers: Watchers
  readonly #heard: (notified: RemoteNotification) => void
  /** Keyed by account. */
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

  /** Subscribes for a new watcher. Resolves when other nodes send entries and earlier ones are in the store. */
  async begin(): Promise<void> {
    const { bus, peerNodes } = this.#deps
    this.#hear()
    this.#renewLater()
    const expected = peerNodes.others().length + 1
    if (expected === 1 || !bus.connected) return
    await bus.askAll(beginSubject, this.#interest, { ms: writeMs, expected })
  }

  /** A watcher left. */
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
