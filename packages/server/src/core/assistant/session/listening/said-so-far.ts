import type { Transcript } from '#core/kernel/ports/speech.ts'
import { samplesPerMs } from '#core/kernel/sound/sound-track.ts'
import { hasWords } from '@offhook/contract/assistant/barge-in.ts'
import { preRollMs } from './turn-taking.ts'

/** No word lasts through a pause like that. */
const betweenWordsMs = 300

/** What was understood of a turn in a pause; positions are those of the ear's track. */
interface Understood {
  /** Where the turn begins. */
  turn: number
  /** Where the voice ended, and until where it was listened to. */
  last: number
  to: number
  transcript: Transcript
}

/**
 * The words of a turn up to its last pause. Recognisers take the longer the more they have to listen to: after that pause only the rest is new
 * to them.
 */
export class SaidSoFar {
  #understood: Understood | undefined
  #kept: { turn: number; transcript: Transcript; rest: number } | undefined

  /** In a pause these words were understood. */
  understood(understood: Understood): void {
    this.#understood = understood
  }

  /** The voice is heard again since this position. A voice without words is listened to again: more of it may tell what it was. */
  goesOn(at: number): void {
    const understood = this.#understood
    this.#understood = undefined
    if (!understood || at - understood.last < betweenWordsMs * samplesPerMs || !hasWords(understood.transcript.text)) return
    const { turn, transcript, to } = understood
    this.#kept = { turn, transcript, rest: Math.max(to, at - preRollMs * samplesPerMs) }
  }

  /** Where the part begins whose words are not known, of the turn that begins at this position. */
  unknownFrom(turn: number): number {
    return this.#kept?.turn === turn ? this.#kept.rest : turn
  }

  /** The whole turn, when these are the words of that part. */
  with(turn: number, rest: Transcript): Transcript {
    return this.#kept?.turn === turn ? joined(this.#kept.transcript, rest) : rest
  }
}

/** How it ends is told by the rest, which language it is in by the beginning. */
const joined = (before: Transcript, rest: Transcript): Transcript => {
  if (!hasWords(rest.text)) return before
  const confidence = meanConfidence(before, rest)
  return {
    ...rest,
    text: `${before.text.trimEnd()} ${rest.text.trimStart()}`,
    ...(before.language !== undefined && { language: before.language }),
    ...(confidence !== undefined && { confidence }),
  }
}

/** Each counts as much as it says. */
const meanConfidence = (before: Transcript, rest: Transcript): number | undefined => {
  if (before.confidence === undefined || rest.confidence === undefined) return rest.confidence
  const [long, short] = [before.text.length, rest.text.length]
  return (before.confidence * long + rest.confidence * short) / (long + short)
}
