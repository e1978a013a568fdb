import { randomUUID } from 'node:crypto'
import type { FlowCall } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { TransferRequest } from './transfer-wish.ts'
import type { Party } from './party.ts'

/** What is kept of an assistant, so that another process can go on with it. */
export interface SavedAssistant {
  id: string
  accountId: string
  number: string
  muted: boolean
  flowId: string
  direction: FlowCall['direction']
  from: string | undefined
  to: string
}

export interface AssistantPartyOptions {
  /** Given when another process had it. */
  id?: string | undefined
  accountId: string
  /** What it sees of the call. */
  sees: Pick<SavedAssistant, 'flowId' | 'direction' | 'from' | 'to'>
  /** E.164: how the others see it. */
  number: string
  /** Who talks with it. */
  person: Party
  /** The caller is on hold or hears an announcement, or is back. Must not throw. */
  waits: (value: boolean) => void
  /** A user of the account wants the call to be transferred. Resolves when the new party rings; throws a Problem when it will not. */
  transfer: (input: TransferRequest) => Promise<void>
  /** Resolves when nothing is being said, and it is written where the session is. */
  quiet: () => Promise<void>
}

/** The assistant in a call: it has no phone, but takes part like a party that has one. */
export class AssistantParty {
  readonly id: string
  readonly accountId: string
  readonly number: string
  readonly #options: AssistantPartyOptions
  /** Why it waits. */
  readonly #reasons = new Set<unknown>()
  #muted = false

  constructor(options: AssistantPartyOptions) {
    this.id = options.id ?? randomUUID()
    this.accountId = options.accountId
    this.number = options.number
    this.#options = options
  }

  get muted(): boolean {
    return this.#muted
  }

  get saved(): SavedAssistant {
    const { id, accountId, number, muted } = this
    return { id, accountId, number, muted, ...this.#options.sees }
  }

  /** Before another process goes on with it: nothing is cut off, if that can be helped. */
  quiet(): Promise<void> {
    return this.#options.quiet()
  }

  transfer(input: TransferRequest): Promise<void> {
    return this.#options.transfer(input)
  }

  /** What it says is not heard, but it is said. */
  mute(value: boolean): void {
    this.#options.person.leg.audio.muteInput(value)
    this.#muted = value
  }

  /** For one reason or several; it goes on when all of them are gone. */
  wait(reason: unknown, value: boolean): void {
    const before = this.#reasons.size > 0
    if (value) this.#reasons.add(reason)
    else this.#reasons.delete(reason)
    const waits = this.#reasons.size > 0
    if (waits !== before) this.#options.waits(waits)
  }

  /** The caller talks with another party from now on. */
  leave(): void {
    if (this.#muted) this.mute(false)
  }
}
