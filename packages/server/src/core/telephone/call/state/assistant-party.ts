import { randomUUID } from 'node:crypto'
import type { Variables } from '@offhook/contract/assistant/variables.ts'
import type { FlowCall } from '#core/kernel/ports/assistant.ts'
import type { TransferRequest } from './transfer-request.ts'
import type { Party } from './party.ts'

/** State another node needs to resume an assistant. */
export interface SavedAssistant {
  id: string
  accountId: string
  number: string
  muted: boolean
  flowId: string
  /** Missing in snapshots of earlier versions: the id of the call. */
  sessionId?: string
  direction: FlowCall['direction']
  from: string | undefined
  to: string
  variables?: Variables | undefined
  correlationId?: string | undefined
}

interface AssistantPartyOptions {
  /** Set after a takeover. */
  id?: string | undefined
  accountId: string
  /** The call as the assistant sees it. */
  sees: Pick<SavedAssistant, 'flowId' | 'sessionId' | 'direction' | 'from' | 'to' | 'variables' | 'correlationId'>
  /** E.164 number shown to the other parties. */
  number: string
  /** Language of announcements to the caller: `de`, `fr`. */
  language: string
  /** The party talking with the assistant. */
  person: Party
  /** Called when the caller goes on hold or hears an announcement, and when the caller is back. Must not throw. */
  waits: (value: boolean) => void
  /** Transfers on a user's request. Resolves when the new party rings; throws a Problem when it will not. */
  transfer: (input: TransferRequest) => Promise<void>
  /** Resolves when no speech is playing and the session position is saved. */
  quiet: () => Promise<void>
}

/** The assistant as a party without a phone. */
export class AssistantParty {
  readonly id: string
  readonly accountId: string
  readonly number: string
  readonly language: string
  readonly #options: AssistantPartyOptions
  /** Reasons for waiting. */
  readonly #reasons = new Set<unknown>()
  #muted = false

  constructor(options: AssistantPartyOptions) {
    this.id = options.id ?? randomUUID()
    this.accountId = options.accountId
    this.number = options.number
    this.language = options.language
    this.#options = options
  }

  get muted(): boolean {
    return this.#muted
  }

  get saved(): SavedAssistant {
    const { id, accountId, number, muted } = this
    return { id, accountId, number, muted, ...this.#options.sees }
  }

  /** Waits for a pause before another node resumes the call, so that speech is not cut off if possible. */
  quiet(): Promise<void> {
    return this.#options.quiet()
  }

  transfer(input: TransferRequest): Promise<void> {
    return this.#options.transfer(input)
  }

  /** Mutes playback; the assistant keeps speaking. */
  mute(value: boolean): void {
    this.#options.person.leg.audio.muteInput(value)
    this.#muted = value
  }

  /** Waits for one or more reasons; continues when all are removed. */
  wait(reason: unknown, value: boolean): void {
    const before = this.#reasons.size > 0
    if (value) this.#reasons.add(reason)
    else this.#reasons.delete(reason)
    const waits = this.#reasons.size > 0
    if (waits !== before) this.#options.waits(waits)
  }

  /** The caller is connected to another party. */
  leave(): void {
    if (this.#muted) this.mute(false)
  }
}

/** Handler of an answered call, with its data. */
export type IncomingCallHandler =
  | { readonly kind: 'phone' }
  /** The account's webhook controls the call until it chooses a phone. */
  | { readonly kind: 'software' }
  /** `accountId` is undefined when a caller listens to their own messages. */
  | { readonly kind: 'voicemail' | 'fax'; readonly accountId: string | undefined }
  | { readonly kind: 'assistant'; readonly assistant: AssistantParty }

export const phone: IncomingCallHandler = { kind: 'phone' }

/** Account whose assistant, voicemail or fax line handles the call. */
export const hostOf = (callHandler: IncomingCallHandler | undefined): string | undefined => {
  if (callHandler?.kind === 'assistant') return callHandler.assistant.accountId
  return callHandler?.kind === 'voicemail' || callHandler?.kind === 'fax' ? callHandler.accountId : undefined
}

export const assistantOf = (callHandler: IncomingCallHandler | undefined): AssistantParty | undefined =>
  callHandler?.kind === 'assistant' ? callHandler.assistant : undefined
