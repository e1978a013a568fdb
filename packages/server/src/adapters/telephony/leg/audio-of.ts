import type { Leg } from '#core/kernel/ports/telephony.ts'
import { LegAudio } from './leg-audio.ts'

/** The sound of a leg of ours; undefined when it is none. */
export const audioOf = ({ audio }: Leg): LegAudio | undefined => (audio instanceof LegAudio ? audio : undefined)
