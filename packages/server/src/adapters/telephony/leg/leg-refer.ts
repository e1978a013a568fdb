import type { TransferAsked } from '#core/kernel/ports/telephony.ts'
import { formatReplaces } from '@offhook/sip/grammar/headers.ts'
import type { IncomingRefer, Session } from '@offhook/sip/session/session.ts'
import { statusOf } from './causes.ts'

/** Asks the far end to call this URI. Resolves when it reached the target; throws when it rejects that or fails. */
export const askToCall = async (session: Session, uri: string, ringing?: () => void): Promise<void> => {
  const status = await session.refer(uri, { notified: (progress) => (progress === 180 || progress === 183) && ringing?.() })
  // 202: the outcome was not told. No leg is hung up because of a guess.
  if (status === 202 || status < 200 || status > 299) throw new Error(`the far end could not transfer itself (${status})`)
}

/** A call to this URI takes our place in that session (RFC 3891). */
export const replacesUri = (base: string, { callId, localTag, remoteTag = '' }: Session): string => {
  const replaces = formatReplaces({ callId, toTag: localTag, fromTag: remoteTag, earlyOnly: false })
  return `${base}?Replaces=${encodeURIComponent(replaces)}`
}

/** A REFER that was accepted: the far end is told how it goes by NOTIFY. */
export const transferOf = (refer: IncomingRefer, to: TransferAsked['to']): TransferAsked => ({
  to,
  trying: () => {}, // the phone has been told by accepting it
  done: () => refer.notify(200),
  failed: (cause) => refer.notify(statusOf(cause)),
})
