import type { OutputOf } from '#api/use-service.ts'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** End of a call, or that it is running. */
export const Outcome = ({ call: { reason, endedAt } }: { call: Pick<OutputOf<'searchCalls'>['items'][number], 'reason' | 'endedAt'> }) => {
  const say = useText(text)
  if (endedAt === undefined) return <StatusBadge tone="busy">{say.running}</StatusBadge>
  if (reason === undefined || !isReason(reason)) return say.unknown
  return <StatusBadge tone={faults.includes(reason) ? 'bad' : 'quiet'}>{say.reasons[reason]}</StatusBadge>
}

/** End reasons of the service. */
type Reason = keyof typeof text.en.reasons

export const reasons = Object.keys(text.en.reasons) as Reason[]

/** Reasons counted as failures in the overview. */
export const faults: readonly Reason[] = ['failed', 'media_timeout', 'service_failure', 'endpoint_unavailable']

export const isReason = (word: string): word is Reason => Object.hasOwn(text.en.reasons, word)
