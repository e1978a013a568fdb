import type { Leg } from '../../core/ports/telephony.ts'
import type { LegAudio } from './leg-audio.ts'
import { SipLeg } from './sip-leg.ts'
import { WebLeg } from './web-leg.ts'

/** The sound of a leg of ours; undefined when it is none. */
export const audioOf = (leg: Leg): LegAudio | undefined => (leg instanceof SipLeg || leg instanceof WebLeg ? leg.audio : undefined)
