import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { Session } from '@offhook/sip/session/session.ts'
import type { SipLeg } from './sip-leg.ts'

/** The legs that there are at the moment. */
export class OurLegs {
  readonly #legs = new Set<SipLeg>()

  add(leg: SipLeg): void {
    if (leg.over) return
    this.#legs.add(leg)
    void leg.ended.then(() => this.#legs.delete(leg))
  }

  /** Most calls take the place of no other: they are not to pay for how many there are. */
  of(session: Session | undefined): Leg | undefined {
    if (session === undefined) return undefined
    for (const leg of this.#legs) if (leg.session === session) return leg
    return undefined
  }
}
