import type { Leg, TransferAsked } from '#core/kernel/ports/telephony.ts'
import { formatReplaces } from '@offhook/sip/grammar/headers.ts'
import type { IncomingRefer, Session } from '@offhook/sip/session/session.ts'
import { statusOf } from './causes.ts'

/** `bring`: the call is at another process, and comes here. */
export type TransferTarget = TransferAsked['to'] | { bring: () => Promise<Leg | undefined> }

export interface ReferOptions {
  /** The number or the Replaces of the REFER, in our words; undefined when there is no such call. */
  target: TransferTarget | undefined
  /** Undefined when nobody here transfers calls. */
  ask: ((transfer: TransferAsked) => void) | undefined
  onFailure: (error: unknown) => void
}

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

/** The far end wants to transfer its call. */
export const takeRefer = (refer: IncomingRefer, { target, ask, onFailure }: ReferOptions): void => {
  if (!target || !ask) return refer.reject(target ? 603 : 481)
  refer.accept()
  if (!('bring' in target)) return ask(transferOf(refer, target))
  void target.bring().then(
    (leg) => (leg ? ask(transferOf(refer, { leg })) : refer.notify(481)),
    (error: unknown) => {
      onFailure(error)
      refer.notify(500)
    },
  )
}

/** A REFER that was accepted: the far end is told how it goes by NOTIFY. */
const transferOf = (refer: IncomingRefer, to: TransferAsked['to']): TransferAsked => ({
  to,
  trying: () => {}, // the phone has been told by accepting it
  done: () => refer.notify(200),
  failed: (cause) => refer.notify(statusOf(cause)),
})
