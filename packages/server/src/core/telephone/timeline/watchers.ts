import type { Noted } from './pieces.ts'

/** Origin of an entry; decides which watchers see it. */
export interface Origin {
  accountId: string
  callId: string
  flowId: string | undefined
  userIds: readonly string[]
  /** Missing from nodes of older versions. */
  extensions?: readonly string[]
}

/** A subscription to live entries. */
export interface Watch {
  accountId: string
  /** Only calls of this user; undefined: all calls of the account (administrators). */
  userId: string | undefined
  /** Only calls of these extensions: the scope of the user's role. */
  extensions?: readonly string[] | undefined
  callId: string | undefined
  flowId: string | undefined
  /** Must not throw. */
  notify(noted: Noted): void
}

/** Watched calls of an account, or all of them. */
export interface Wanted {
  accountId: string
  callIds?: readonly string[]
}

/** All local watchers. */
export class Watchers {
  readonly #byAccount = new Map<string, Set<Watch>>()

  get accountIds(): string[] {
    return [...this.#byAccount.keys()]
  }

  get wanted(): Wanted[] {
    return [...this.#byAccount].map(([accountId, watches]) => {
      const callIds = [...watches].map(({ callId }) => callId)
      return callIds.includes(undefined) ? { accountId } : { accountId, callIds: callIds.filter((callId) => callId !== undefined) }
    })
  }

  has(accountId: string): boolean {
    return this.#byAccount.has(accountId)
  }

  add(watch: Watch): () => void {
    const { accountId } = watch
    const present = this.#byAccount.get(accountId) ?? new Set<Watch>()
    this.#byAccount.set(accountId, present.add(watch))
    return () => {
      present.delete(watch)
      if (present.size === 0 && this.#byAccount.get(accountId) === present) this.#byAccount.delete(accountId)
    }
  }

  /** `only`: restricts the entry to watchers that do not know it yet. */
  notify(origin: Origin, noted: Noted, only: (watch: Watch) => boolean = () => true): void {
    const watches = this.#byAccount.get(origin.accountId)
    if (!watches) return
    for (const watch of watches) if (isOf(watch, origin) && only(watch)) watch.notify(noted)
  }
}

/** Entries from before the flow was known are new only to watchers of the flow. */
export const watchesFlow = ({ flowId }: Watch): boolean => flowId !== undefined

/** A watcher of one call reads earlier entries itself and detects duplicates by sequence. */
export const watchesCall = ({ callId }: Watch): boolean => callId !== undefined

const isOf = ({ callId, flowId, userId, extensions }: Watch, origin: Origin): boolean =>
  (callId === undefined || callId === origin.callId) &&
  (flowId === undefined || flowId === origin.flowId) &&
  (userId === undefined || origin.userIds.includes(userId)) &&
  (extensions === undefined || partiesOf(origin).some((id) => extensions.includes(id)))

const partiesOf = ({ extensions = [], flowId }: Origin): readonly string[] => (flowId === undefined ? extensions : [...extensions, flowId])
