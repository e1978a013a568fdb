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

  of(session: Session | undefined): Leg | undefined {
    for (const leg of this.#legs) if (leg.session === session) return leg
    return undefined
  }
}
