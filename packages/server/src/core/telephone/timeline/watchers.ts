import type { Noted } from './noted.ts'

/** Whose entry it is, as far as that decides who sees it. */
export interface Origin {
  accountId: string
  callId: string
  flowId: string | undefined
  userIds: readonly string[]
}

/** Wants to know what happens, as it happens. */
export interface Watch {
  accountId: string
  /** Only calls of this user; undefined: administrators see those of the account. */
  userId: string | undefined
  callId: string | undefined
  flowId: string | undefined
  /** Must not throw. */
  notify(noted: Noted): void
}

/** What is watched of an account: some calls, or whatever happens. */
export interface Wanted {
  accountId: string
  callIds?: readonly string[]
}

/** Everybody who watches here. */
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

  /** `only`: some of the watchers know of it already. */
  notify(origin: Origin, noted: Noted, only: (watch: Watch) => boolean = () => true): void {
    const watches = this.#byAccount.get(origin.accountId)
    if (!watches) return
    for (const watch of watches) if (isOf(watch, origin) && only(watch)) watch.notify(noted)
  }
}

/** When the flow of the call becomes known: what was before is news only for watchers of the flow. */
export const watchesFlow = ({ flowId }: Watch): boolean => flowId !== undefined

/** Who watches one call reads what was before, and knows by the sequence what that was. */
export const watchesCall = ({ callId }: Watch): boolean => callId !== undefined

const isOf = ({ callId, flowId, userId }: Watch, origin: Origin): boolean =>
  (callId === undefined || callId === origin.callId) &&
  (flowId === undefined || flowId === origin.flowId) &&
  (userId === undefined || origin.userIds.includes(userId))
