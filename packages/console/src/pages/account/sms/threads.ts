import { otherParty } from '#api/other-party.ts'
import type { OutputOf } from '#api/use-service.ts'

export type SmsEntry = Pick<
  OutputOf<'listOwnHistory'>['items'][number],
  | 'id'
  | 'incoming'
  | 'source'
  | 'target'
  | 'sourceContact'
  | 'targetContact'
  | 'created'
  | 'read'
  | 'smsContent'
  | 'smsStatusType'
  | 'smsReason'
  | 'scheduled'
>

export interface Thread {
  /** Number of the other party. */
  number: string
  /** Contact of the number, if known. */
  contact: SmsEntry['sourceContact']
  /** Oldest first. */
  entries: SmsEntry[]
  unread: number
}

const momentOf = ({ scheduled, created, smsStatusType }: SmsEntry): string =>
  smsStatusType === 'SCHEDULED' ? (scheduled ?? created) : created

const digitsOf = (number: string): string => number.replaceAll(/\D/g, '').replace(/^0+/, '')

/** The thread with a number, also in national format. */
export const threadWith = (threads: readonly Thread[], number: string): Thread | undefined => {
  const digits = digitsOf(number)
  return (
    threads.find((thread) => thread.number === number) ??
    (digits.length < 6 ? undefined : threads.find((thread) => digitsOf(thread.number).endsWith(digits)))
  )
}

/** Groups messages by number; the thread with the latest message comes first. */
export const toThreads = (entries: readonly SmsEntry[]): Thread[] => {
  const byNumber = Map.groupBy(entries, (entry) => otherParty(entry).number)
  return [...byNumber]
    .map(([number, found]) => ({
      number,
      contact: found.map((entry) => otherParty(entry).contact).find(Boolean),
      entries: found.toSorted((a, b) => momentOf(a).localeCompare(momentOf(b))),
      unread: found.filter(({ incoming, read }) => incoming && !read).length,
    }))
    .toSorted((a, b) => latest(b).localeCompare(latest(a)))
}

const latest = ({ entries }: Thread): string => entries.reduce((last, { created }) => (created > last ? created : last), '')
