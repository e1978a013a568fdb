import type { SpeechPlayout } from '../mouth/speech-playout.ts'

/** A turn of the caller while it lasts. */
export interface CallerTurn {
  since: number
  /** It began under a speech during which nobody listens. */
  unheard: boolean
  announced: boolean
  /** It only goes on with a sound in which nobody found words for a whole turn: nobody waits for its end. */
  noise: boolean
  /** The words that ended a speech, and what was heard of that. */
  cut?: { words: string; heardMs: number; heardText: string }
  cancelTimer: () => void
}

/** No speech begins while the caller speaks, but for those that do not listen, those that only the customer may interrupt, and in a noise. */
export const mustWait = ({ order, arrivedAt }: SpeechPlayout, turn: CallerTurn | undefined): boolean => {
  const { strategy } = order.rule
  if (!turn || turn.noise || strategy === 'none') return false
  return strategy !== 'manual' || arrivedAt >= turn.since
}

/**
 * The caller said something before it began: it answers what is no longer the question. What waits behind a speech that goes on all the
 * same is not meant, unless it came while the caller spoke.
 */
export const isOutdated = ({ order, arrivedAt }: SpeechPlayout, turn: CallerTurn, stillSounds: boolean): boolean => {
  if (order.rule.strategy === 'none') return false
  return arrivedAt >= turn.since || (!stillSounds && order.rule.strategy !== 'manual')
}
