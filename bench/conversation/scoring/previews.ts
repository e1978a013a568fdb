import { spread } from '../../shared/percentiles.ts'
import { share } from './turns.ts'

/** A finished turn, possibly with an earlier preview request. */
export interface EndOutcome {
  /** Milliseconds from the preview request with the turn's words to its end; undefined: no such request. */
  aheadMs: number | undefined
  /** Milliseconds from there to the first sound of the answer; undefined: no answer. */
  firstSoundMs: number | undefined
}

/** A pause inside a turn. */
export interface PauseOutcome {
  /** Preview requests that were revoked. */
  revoked: number
  /** Answers to revoked previews that were audible. */
  soundsOfRevoked: number
  /** The pause ended the turn. */
  split: boolean
}

/** Delay that callers do not notice, in milliseconds. */
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
