import { spread } from '../../shared/percentiles.ts'
import type { TurnKind } from '../sets/turn-set.ts'
import { scoreWords, type WordScore } from './words.ts'

/** `pause`: one turn with a pause in it. `pair`: two turns. `own`: the operator's own recording of one turn. */
export type UtteranceKind = TurnKind | 'pause' | 'pair' | 'own'

export interface UtteranceOutcome {
  utterance: { kind: UtteranceKind; text: string; language: string }
  /** Texts that the endpoint received, in order. */
  heard: readonly string[]
  /** Milliseconds from the last voiced sample sent to the last turn at the endpoint. */
  turnMs: number | undefined
  /** Milliseconds from the endpoint's event to the first sound of an uncached answer. */
  firstSoundMs: number | undefined
}

interface Share {
  wrong: number
  of: number
}

export interface UtteranceScore {
  words: WordScore
  /** One turn reported as several. */
  split: Share
  splitInPause: Share
  /** Two turns reported as one. */
  merged: Share
  unheard: Share
  sentenceMs: { p50: number; p95: number }
  shortMs: { p50: number; p95: number }
  firstSoundMs: { p50: number; p95: number }
}

const count = (some: readonly UtteranceOutcome[], isWrong: (turns: number) => boolean): Share => ({
  wrong: some.filter(({ heard }) => isWrong(heard.length)).length,
  of: some.length,
})

export const scoreUtterances = (outcomes: readonly UtteranceOutcome[]): UtteranceScore => {
  const of = (...kinds: UtteranceKind[]): UtteranceOutcome[] => outcomes.filter(({ utterance }) => kinds.includes(utterance.kind))
  const pairs = outcomes.map(({ utterance, heard }) => ({ said: utterance.text, heard: heard.join(' '), language: utterance.language }))
  // A split utterance has no single end from which to measure latency.
  const latency = (some: readonly UtteranceOutcome[]) =>
    spread(some.filter(({ heard }) => heard.length === 1).flatMap(({ turnMs }) => turnMs ?? []))
  return {
    words: scoreWords(pairs),
    split: count(of('whole', 'two', 'short', 'own'), (turns) => turns > 1),
    splitInPause: count(of('pause'), (turns) => turns > 1),
    merged: count(of('pair'), (turns) => turns === 1),
    unheard: count(outcomes, (turns) => turns === 0),
    sentenceMs: latency(of('whole', 'two', 'own')),
    shortMs: latency(of('short')),
    firstSoundMs: spread(outcomes.flatMap(({ firstSoundMs }) => firstSoundMs ?? [])),
  }
}
