import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { Spoken } from './conversation/conversation.ts'

/** Whether the caller has heard what had to be said first, for the audit log. */
export interface DisclosureRecord {
  completed: boolean
  playedMs: number
  /** Why it was not heard to its end: the caller was being connected with somebody else, or how the session ended. */
  reason?: SessionEndReason | 'transfer'
}

/** Where a session is with it. */
export interface SavedDisclosure {
  heard?: DisclosureRecord
}

/** The first protected speech before the first turn of the caller: that they talk to a machine, most likely. */
export class Disclosure {
  #wanted = false
  #heard: DisclosureRecord | undefined

  /** The endpoint has one to be said. */
  wanted(): void {
    this.#wanted = true
  }

  spoke({ protect, completed, durationMs: playedMs }: Pick<Spoken, 'protect' | 'completed' | 'durationMs'>, transferring: boolean): void {
    if (!protect || !this.#wanted || this.#heard) return
    this.#heard = { completed, playedMs, ...(!completed && transferring && { reason: 'transfer' }) }
  }

  /** Undefined: none was wanted. */
  get saved(): SavedDisclosure | undefined {
    return this.#wanted ? { ...(this.#heard && { heard: this.#heard }) } : undefined
  }

  /** Goes on where another process was. */
  resume(saved: SavedDisclosure | undefined): void {
    this.#wanted = saved !== undefined
    this.#heard = saved?.heard
  }

  /** The session is over, for this reason. */
  record(reason: SessionEndReason): DisclosureRecord | undefined {
    if (!this.#wanted) return undefined
    const heard = this.#heard ?? { completed: false, playedMs: 0 }
    return heard.completed ? heard : { reason, ...heard }
  }
}
