import type { OutputOf } from '#api/use-service.ts'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { isPortingStatus, stuckStatuses } from './porting-track.ts'
import { text } from './text.ts'

export type Porting = OutputOf<'listPortings'>['items'][number]

export const PortingState = ({ porting: { status, cancelRequested, correctionRequested } }: { porting: Porting }) => {
  const say = useText(text)
  if (!isPortingStatus(status)) return status
  if (cancelRequested || correctionRequested)
    return <StatusBadge tone="warning">{cancelRequested ? say.cancelAsked : say.correctionAsked}</StatusBadge>
  const tone = status === 500 ? 'good' : status === 600 ? 'quiet' : stuckStatuses.includes(status) ? 'bad' : 'busy'
  return <StatusBadge tone={tone}>{say.states[status]}</StatusBadge>
}
