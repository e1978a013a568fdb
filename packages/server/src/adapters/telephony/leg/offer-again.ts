import type { Session } from '@offhook/sip/session/session.ts'
import type { SipClock } from '@offhook/sip/transport/transport.ts'
import type { OfferOptions } from '../sdp/media-session.ts'
import type { LegAudio } from './leg-audio.ts'

/** How long a far end has to agree that its call goes on elsewhere. */
const timeoutMs = 10_000

const incompatible = new Set([415, 488, 606])

interface Offered {
  status: number
  sdp: string | undefined
}

/**
 * Offers the far end of a call that another process had our audio: what was agreed; if it does not like that any more, everything that we can. One
 * that says nothing is not waited for.
 */
export const offerAgain = async (clock: SipClock, session: Session, audio: LegAudio): Promise<Offered> => {
  const { promise: tooLate, resolve } = Promise.withResolvers<Offered>()
  const cancel = clock.after(timeoutMs, () => resolve({ status: 408, sdp: undefined }))
  const offer = async (options?: OfferOptions): Promise<Offered> => Promise.race([tooLate, session.offer(await audio.offer(options))])
  const first = await offer()
  const result = incompatible.has(first.status) ? await offer({ everything: true }) : first
  cancel()
  return result
}
