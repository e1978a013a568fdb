import { text } from './text.ts'

/** Why a call ends, as the service says it. */
export type Reason = keyof typeof text.en.reasons

export const reasons = Object.keys(text.en.reasons) as Reason[]

/** Those that the overview counts as failures. */
export const faults: readonly Reason[] = ['failed', 'media_timeout', 'service_failure', 'endpoint_unavailable']

export const isReason = (word: string): word is Reason => Object.hasOwn(text.en.reasons, word)
