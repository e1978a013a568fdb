import type { namesOf } from '../contacts/names.ts'
import type { MailOrder } from '#core/kernel/mail/queue-mail.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import { text, type Locale } from '#core/kernel/translations/index.ts'

export type EventTemplate = Extract<
  MailOrder['template'],
  'voicemail' | 'missed_call' | 'sms' | 'sms_sent' | 'sms_failed' | 'fax' | 'fax_partial' | 'fax_sent' | 'fax_failed'
>

/** Template for an entry; undefined while its outcome is open. */
export const templateOf = ({ type, direction, detail }: HistoryEntry): EventTemplate | undefined => {
  if (type === 'VOICEMAIL') return 'voicemail'
  if (type === 'CALL') return direction === 'MISSED_INCOMING' ? 'missed_call' : undefined
  const kind = type === 'SMS' ? 'sms' : 'fax'
  if (direction === 'INCOMING') return kind === 'fax' && detail.faxStatusType === 'FAILED' ? 'fax_partial' : kind
  const status = detail.smsStatusType ?? detail.faxStatusType
  if (status === 'FAILED') return `${kind}_failed`
  return status === 'SENT' || status === 'DELIVERED' ? `${kind}_sent` : undefined
}

type Names = Awaited<ReturnType<typeof namesOf>>

/** Contacts only: users know their own numbers. */
const withName = (names: Names, number: string): string => {
  const { name = '', contactId } = names.get(number) ?? {}
  return contactId === undefined ? number : `${name} (${number})`
}

/** Values for the placeholders of all templates. */
export const valuesOf = ({ source, target, detail }: HistoryEntry, locale: Locale, names: Names): Record<string, string> => ({
  caller: source === 'anonymous' ? text(locale, 'mail.caller.anonymous') : withName(names, source),
  called: withName(names, target),
  seconds: String(detail.duration ?? 0),
  content: detail.smsContent ?? '',
  transcription: spoken(detail, locale),
  pages: String(detail.pageCount ?? 0),
})

/** A separate paragraph, or an empty text. */
const spoken = ({ transcription, messageText }: HistoryEntry['detail'], locale: Locale): string => {
  if (messageText?.state === 'SILENT') return `\n\n${text(locale, 'mail.voicemail.silent')}`
  if (!transcription) return ''
  const unsure = messageText?.confidence !== undefined && messageText.confidence < 0.5
  return `\n\n${text(locale, unsure ? 'mail.voicemail.unsure' : 'mail.voicemail.said', { said: transcription })}`
}
