import type { Mail } from '#core/kernel/ports/outbound.ts'

/** One plain mailbox: without anything that could add a header line, a second recipient or a comment. */
const MAILBOX = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u
const CONTROL = /\p{Cc}/u
/** RFC 5321 §4.5.3.1.3: a path has at most 256 bytes, two of them the angle brackets. */
const LONGEST_MAILBOX_BYTES = 254

/** Throws without repeating the values: they are personal, and messages end up in logs. */
export function refuseBadHeaders(mail: Mail): void {
  if (!MAILBOX.test(mail.to) || Buffer.byteLength(mail.to) > LONGEST_MAILBOX_BYTES)
    throw new Error('The mail\'s "to" is not one mail address')
  if (CONTROL.test(mail.subject)) throw new Error('The mail\'s "subject" has a line break or another control character')
}

export function refuseBadSender(from: string): void {
  if (CONTROL.test(from) || !from.includes('@')) throw new Error('The sender of mails must be a mail address on one line')
}
