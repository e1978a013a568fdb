import type { Leg, TransferAsked } from '#core/kernel/ports/telephony.ts'
import { formatReplaces } from '@offhook/sip/grammar/headers.ts'
import type { IncomingRefer, Session } from '@offhook/sip/session/session.ts'
import { statusOf } from './causes.ts'

/** `bring`: moves the call from another node here. */
export type TransferTarget = TransferAsked['to'] | { bring: () => Promise<Leg | undefined> }

interface ReferOptions {
  /** Number or Replaces of the REFER; undefined when there is no such call. */
  target: TransferTarget | undefined
  /** Undefined when no observer handles transfers. */
  ask: ((transfer: TransferAsked) => void) | undefined
  onFailure: (error: unknown) => void
}

/** Asks the far end to call this URI. Resolves when it reached the target; throws when it rejects that or fails. */
export const askToCall = async (session: Session, uri: string, ringing?: () => void): Promise<void> => {
  const status = await session.refer(uri, { notified: (progress) => (progress === 180 || progress === 183) && ringing?.() })
  // 202: the outcome is unknown. A guess must not hang up a leg.
  if (status === 202 || status < 200 || status > 299) throw new Error(`the far end could not transfer itself (${status})`)
}

/** URI of a call that replaces us in that session (RFC 3891). */
export const replacesUri = (base: string, { callId, localTag, remoteTag = '' }: Session): string => {
  const replaces = formatReplaces({ callId, toTag: localTag, fromTag: remoteTag, earlyOnly: false })
  return `${base}?Replaces=${encodeURIComponent(replaces)}`
}

/** The far end requests a transfer. */
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

/** An accepted REFER: NOTIFY reports its progress to the far end. */
const transferOf = (refer: IncomingRefer, to: TransferAsked['to']): TransferAsked => ({
  to,
  trying: () => {}, // the acceptance has already told the phone
  done: () => refer.notify(200),
  failed: (cause) => refer.notify(statusOf(cause)),
})
