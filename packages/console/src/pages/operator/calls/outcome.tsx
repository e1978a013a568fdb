import type { OutputOf } from '#api/use-service.ts'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { faults, isReason } from './reasons.ts'
import { text } from './text.ts'

/** How a call ended, or that it lasts. */
export const Outcome = ({ call: { reason, endedAt } }: { call: Pick<OutputOf<'searchCalls'>['items'][number], 'reason' | 'endedAt'> }) => {
  const say = useText(text)
  if (endedAt === undefined) return <StatusBadge tone="busy">{say.running}</StatusBadge>
  if (reason === undefined || !isReason(reason)) return say.unknown
  return <StatusBadge tone={faults.includes(reason) ? 'bad' : 'quiet'}>{say.reasons[reason]}</StatusBadge>
}
