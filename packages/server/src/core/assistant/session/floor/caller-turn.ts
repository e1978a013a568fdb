import type { BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import type { HeardTurn } from '../listening/hearing-parts.ts'
import type { SpeechOrder, SpeechPlayout } from '../speaking/speech-playout.ts'
import { isBackChannel } from './interruption.ts'

/** What the caller's voice and words are weighed against. */
export type SoundingSpeech = Pick<SpeechPlayout, 'sounding' | 'suspended' | 'playedMs' | 'asked' | 'heard' | 'hold' | 'cut'> & {
  readonly startedAt?: number | undefined
  readonly order: Pick<SpeechOrder, 'rule' | 'protect' | 'live'>
}

/** A turn of the caller while it lasts. */
export interface CallerTurn {
  since: number
  /** It began during a speech with the barge-in strategy `none`. */
  unheard: boolean
  announced: boolean
  /** It continues a noise: the turn before was as long as a turn can be and had no words, so speeches do not wait for this one to end. */
  noise: boolean
  /** It began while something sounded that back-channels do not stop. */
  mayBeBackChannel: boolean
  /** It began while the assistant spoke, or was about to. */
  overSpeech: boolean
  /** Its voice was heard in the last clause of a question: even a back-channel answers that. */
  answers: boolean
  /** The words that ended a speech, and what was heard of that. */
  cut?: { words: string; heardMs: number; heardText: string }
  cancelTimer: () => void
}

/** From the first to the last sound of its voice. */
export const voiceMsOf = ({ since }: CallerTurn, { timing }: Pick<HeardTurn, 'timing'>): number =>
  Math.max(0, Math.round(timing.speechEndedAt - since))

/** The caller begins to speak, while this is playing or about to. */
export const newTurn = (speech: SoundingSpeech | undefined, since: number, noise: boolean): CallerTurn => {
  const unheard = sounds(speech, 'none')
  const [mayBeBackChannel, answers, overSpeech] = [toleratesBackChannels(speech), asks(speech, 0), speech !== undefined]
  return { since, unheard, announced: !unheard, noise, mayBeBackChannel, overSpeech, answers, cancelTimer: () => {} }
}

/** What a turn is when it is over: something to be answered, a back-channel, nothing that was understood, or nothing that was to be heard. */
export type TurnOutcome = 'told' | 'backchannel' | 'no_words' | 'unheard'

/** `speech`: what is playing then, or about to; `unheardUntil`: when the last speech with the strategy `none` ended. */
export const outcomeOf = (
  turn: CallerTurn,
  { text, typed, language, timing }: HeardTurn,
  { speech, unheardUntil, languageNow }: { speech: SoundingSpeech | undefined; unheardUntil: number; languageNow: string },
): TurnOutcome => {
  // Only while there is more to be said: else the caller would wait for an answer, and the assistant for the caller.
  const mayBe = turn.mayBeBackChannel && !turn.answers && !turn.cut && typed !== true && speech !== undefined
  if (mayBe && isBackChannel(text, language ?? languageNow)) return 'backchannel'
  if (text === '') return 'no_words'
  return turn.unheard && (sounds(speech, 'none') || timing.speechEndedAt <= unheardUntil) ? 'unheard' : 'told'
}

/** The caller hears it, and may interrupt it in this way. */
export const sounds = (speech: Pick<SoundingSpeech, 'sounding' | 'order'> | undefined, strategy: BargeInRule['strategy']): boolean =>
  speech?.sounding === true && speech.order.rule.strategy === strategy

/** The caller hears it, and words that only show that the caller listens are not worth an answer. */
const toleratesBackChannels = (speech: SoundingSpeech | undefined): boolean =>
  sounds(speech, 'words') || (speech?.sounding === true && speech.order.protect)

/** It becomes softer under the caller's voice. */
export const freesCapacity = (speech: SoundingSpeech | undefined): boolean =>
  speech !== undefined && sounds(speech, 'words') && speech.playedMs >= speech.order.rule.allowAfterMs

/** Whether the last clause of a question sounded when the caller's voice was heard, `agoMs` ago. */
export const asks = (speech: SoundingSpeech | undefined, agoMs: number): boolean =>
  speech !== undefined && sounds(speech, 'words') && speech.asked(speech.playedMs - agoMs)

/** Sound that began in this turn answers it: the endpoint took it for over sooner. Its words do not interrupt that. */
export const answersAhead = ({ order, startedAt: begunAt = Infinity }: SoundingSpeech, turn: CallerTurn): boolean =>
  order.live === true && begunAt >= turn.since

/**
 * No speech begins while the caller speaks, except those with the strategy `none`, those with `manual` that came before the turn, sound that the
 * endpoint sends as it likes, and in a noise.
 */
export const mustWait = (
  { order, arrivedAt }: Pick<SoundingSpeech, 'order'> & { arrivedAt: number },
  turn: CallerTurn | undefined,
): boolean => {
  const { strategy } = order.rule
  if (!turn || turn.noise || strategy === 'none' || order.live) return false
  return strategy !== 'manual' || arrivedAt >= turn.since
}

/**
 * The speech has not begun and replies to an earlier turn of the caller. Speeches that wait behind one that still sounds are kept,
 * unless they came while the caller spoke.
 */
export const isOutdated = ({ order, arrivedAt }: SpeechPlayout, turn: CallerTurn, stillSounds: boolean): boolean => {
  if (order.rule.strategy === 'none' || order.protect || order.live) return false
  return arrivedAt >= turn.since || (!stillSounds && order.rule.strategy !== 'manual')
}
