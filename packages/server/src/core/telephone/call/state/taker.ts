import type { AssistantParty } from './assistant-party.ts'

/** Who has taken a call, with what goes with it. */
export type Taker =
  | { readonly kind: 'phone' }
  /** The account's own software keeps the caller busy until it knows which phone is to take the call. */
  | { readonly kind: 'software' }
  /** `accountId` is undefined when a caller listens to their own messages. */
  | { readonly kind: 'voicemail' | 'fax'; readonly accountId: string | undefined }
  | { readonly kind: 'assistant'; readonly assistant: AssistantParty }

export const phone: Taker = { kind: 'phone' }

/** The account whose assistant, voicemail or fax line has the call. */
export const hostOf = (taker: Taker | undefined): string | undefined => {
  if (taker?.kind === 'assistant') return taker.assistant.accountId
  return taker?.kind === 'voicemail' || taker?.kind === 'fax' ? taker.accountId : undefined
}

export const assistantOf = (taker: Taker | undefined): AssistantParty | undefined =>
  taker?.kind === 'assistant' ? taker.assistant : undefined
