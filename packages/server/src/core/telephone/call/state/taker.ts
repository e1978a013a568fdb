import type { AssistantParty } from './assistant-party.ts'

/** Who has taken a call, with what goes with it. */
export type IncomingCallHandler =
  | { readonly kind: 'phone' }
  /** The account's own software keeps the caller busy until it knows which phone is to take the call. */
  | { readonly kind: 'software' }
  /** `accountId` is undefined when a caller listens to their own messages. */
  | { readonly kind: 'voicemail' | 'fax'; readonly accountId: string | undefined }
  | { readonly kind: 'assistant'; readonly assistant: AssistantParty }

export const phone: IncomingCallHandler = { kind: 'phone' }

/** The account whose assistant, voicemail or fax line has the call. */
export const hostOf = (callHandler: IncomingCallHandler | undefined): string | undefined => {
  if (callHandler?.kind === 'assistant') return callHandler.assistant.accountId
  return callHandler?.kind === 'voicemail' || callHandler?.kind === 'fax' ? callHandler.accountId : undefined
}

export const assistantOf = (callHandler: IncomingCallHandler | undefined): AssistantParty | undefined =>
  callHandler?.kind === 'assistant' ? callHandler.assistant : undefined
