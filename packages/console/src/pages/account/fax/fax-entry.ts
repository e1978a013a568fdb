import type { OutputOf } from '#api/use-service.ts'
import type { Tone } from '#parts/value/status-badge.tsx'

export type FaxEntry = OutputOf<'getOwnHistoryEntry'>
export type FaxStatus = NonNullable<FaxEntry['faxStatusType']>

const underWay: readonly FaxStatus[] = ['PENDING', 'SENDING', 'SCHEDULED']

/** Something will still happen to it by itself. */
export const isUnderWay = ({ incoming, faxStatusType }: FaxEntry): boolean =>
  !incoming && faxStatusType !== undefined && underWay.includes(faxStatusType)

export const toneOf = ({ incoming, faxStatusType, faxReason }: FaxEntry): Tone => {
  if (incoming) return faxReason === undefined ? 'good' : 'warning'
  return faxStatusType === 'SENT' ? 'good' : faxStatusType === 'FAILED' ? 'bad' : 'busy'
}
