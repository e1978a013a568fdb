/** Why calls end, as the service says it. */
export const reasons = [
  'caller_hangup',
  'callee_hangup',
  'assistant_hangup',
  'api_hangup',
  'transferred',
  'no_answer',
  'busy',
  'rejected',
  'failed',
  'endpoint_unavailable',
  'max_duration',
  'silence_timeout',
  'media_timeout',
  'insufficient_funds',
  'service_shutdown',
  'service_failure',
] as const

export type Reason = (typeof reasons)[number]

/** Those that the overview counts as failures. */
export const faults: readonly Reason[] = ['failed', 'media_timeout', 'service_failure', 'endpoint_unavailable']

export const isReason = (word: string): word is Reason => (reasons as readonly string[]).includes(word)
