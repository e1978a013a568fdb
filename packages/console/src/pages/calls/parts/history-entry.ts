import type { IconName } from '#parts/icon/icon.tsx'
import type { Tone } from '#parts/value/status-badge.tsx'
import type { Format } from '#parts/value/use-format.ts'
import { otherParty } from '#api/other-party.ts'
import type { OutputOf } from '#api/use-service.ts'
import type { CallsText } from './text.ts'

export type HistoryEntry = OutputOf<'getHistoryEntry'>

/** Prefers the call entry over the voicemail left in it. */
export const callEntryOf = (entries: readonly HistoryEntry[] = []): HistoryEntry | undefined =>
  entries.find(({ type }) => type === 'CALL') ?? entries[0]

/** The other party. */
export const otherSide = (entry: HistoryEntry, say: CallsText, format: Format): string => {
  const { number, alias, contact } = otherParty(entry)
  return contact?.name ?? partyName(alias, number, say, format)
}

/** The account's side: an assistant, a line. Empty if only its number is known. */
export const ownSide = ({ incoming, sourceAlias, targetAlias, source, target }: HistoryEntry): string => {
  const [alias, number] = incoming ? [targetAlias, target] : [sourceAlias, source]
  return alias === number ? '' : alias
}

/** A name, a number, or both. */
export const partyName = (alias: string, number: string, say: CallsText, { phone }: Format): string => {
  const shown = number === '' || number === 'anonymous' || isFlowId(number) ? '' : phone(number)
  if (alias !== '' && alias !== number) return shown === '' ? alias : `${alias} (${shown})`
  return shown === '' ? say.withheld : shown
}

export const iconOf = ({ type, direction }: HistoryEntry): IconName => {
  if (type !== 'CALL') return ({ VOICEMAIL: 'voicemail', SMS: 'message', FAX: 'fax' } as const)[type]
  return direction === 'INCOMING' ? 'phoneIn' : direction === 'OUTGOING' ? 'phoneOut' : 'phone'
}

/** Result in one word. */
export const resultOf = (entry: HistoryEntry, say: CallsText): { tone: Tone; words: string } => {
  const { type, faxStatusType, smsStatusType, callStatus = 'MISSED' } = entry
  if (type === 'FAX') {
    if (entry.incoming || faxStatusType === undefined) return { tone: 'good', words: say.faxReceived }
    return { tone: toneOf(faxStatusType), words: say.faxStatuses[faxStatusType] }
  }
  if (type === 'SMS') {
    if (entry.incoming || smsStatusType === undefined) return { tone: 'good', words: say.smsReceived }
    return { tone: toneOf(smsStatusType), words: say.smsStatuses[smsStatusType] }
  }
  if (type === 'VOICEMAIL') return { tone: 'busy', words: say.types.VOICEMAIL }
  return { tone: callStatus === 'SUCCESS' ? 'good' : callStatus === 'FAILURE' ? 'bad' : 'warning', words: say.callStatuses[callStatus] }
}

const toneOf = (status: 'SENT' | 'DELIVERED' | 'FAILED' | 'PENDING' | 'SENDING' | 'SCHEDULED'): Tone =>
  status === 'SENT' || status === 'DELIVERED' ? 'good' : status === 'FAILED' ? 'bad' : 'busy'

/** Duration, or size. */
export const extentOf = ({ type, duration, pageCount, smsContent }: HistoryEntry, say: CallsText, format: Format): string => {
  if (type === 'FAX') return pageCount === undefined ? '' : say.pages(pageCount)
  if (type === 'SMS') return smsContent ?? ''
  return duration === undefined || duration === 0 ? '' : format.duration(duration * 1000)
}

/** In a call with an assistant, the account's side of the recording is the assistant. */
export const recordedSides = (entry: HistoryEntry, { sides }: CallsText): readonly string[] => {
  const [own, other] = entry.endpoints.some(({ endpoint }) => endpoint.type === 'FLOW')
    ? [sides.assistant, sides.caller]
    : [sides.own, sides.others]
  return [own, otherParty(entry).contact?.name ?? other]
}

/** An assistant called without a number has its id in place of the number. */
export const isFlowId = (number: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(number)
