import { spread } from '../../shared/percentiles.ts'
import { share } from './turns.ts'

/** A turn that was over, and an endpoint that was perhaps asked before. */
export interface EndOutcome {
  /** Before the turn was over the endpoint was asked with its words; undefined: it was not. */
  aheadMs: number | undefined
  /** From there to the first sound of the answer; undefined: there was none. */
  firstSoundMs: number | undefined
}

/** A pause inside a turn. */
export interface PauseOutcome {
  /** The endpoint was asked, and told that it was too early. */
  revoked: number
  /** Of answers to that something was heard. */
  soundsOfRevoked: number
  /** The pause was taken for the end of the turn. */
  split: boolean
}

/** Nobody notices so little. */
const atOnceMs = 60

export const scorePreviews = (ends: readonly EndOutcome[], pauses: readonly PauseOutcome[]) => {
  const [ahead, sounds] = [ends.flatMap(({ aheadMs }) => aheadMs ?? []), ends.flatMap(({ firstSoundMs }) => firstSoundMs ?? [])]
  return {
    ends: ends.length,
    previewed: share(ahead.length, ends.length),
    aheadMs: spread(ahead),
    concurrency: share(sounds.filter((ms) => ms <= atOnceMs).length, ends.length),
    firstSoundMs: spread(sounds),
    pauses: pauses.length,
    inVain: pauses.filter(({ revoked }) => revoked > 0).length,
    split: pauses.filter(({ split }) => split).length,
    soundsOfRevoked: pauses.reduce((sum, one) => sum + one.soundsOfRevoked, 0),
  }
}
