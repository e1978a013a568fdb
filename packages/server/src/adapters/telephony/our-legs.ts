import type { Leg } from '../../core/ports/telephony.ts'
import type { Session } from '../../sip/session.ts'
import type { SipLeg } from './sip-leg.ts'

/** The legs that there are at the moment, found by their session. */
export class OurLegs {
  readonly #bySession = new Map<Session, SipLeg>()

  get size(): number {
    return this.#bySession.size
  }

  add(leg: SipLeg): void {
    if (leg.over) return
    this.#bySession.set(leg.session, leg)
    void leg.ended.then(() => this.#bySession.delete(leg.session))
  }

  of(session: Session | undefined): Leg | undefined {
    return session && this.#bySession.get(session)
  }

  [Symbol.iterator](): Iterator<SipLeg> {
    return this.#bySession.values()
  }
}
