import type { LastSound, Tail } from '../speech.ts'

/** What is known when the caller pauses. */
export interface Pause {
  /** What was said in the turn until now; not empty. */
  text: string
  /** BCP 47. */
  language: string
  /** Of the recogniser, if it knows. */
  tail?: Tail
  /** Missing: hardly anything was voiced, or nobody looked. */
  lastSound?: LastSound
  /** The end of the turn as sound: so many seconds at most, 8 kHz. */
  sound: (seconds: number) => Int16Array<ArrayBuffer>
}

export interface EndOfTurn {
  /** From 0 (more is to come) to 1 (that was all). */
  probability: number
  /** What made it so, by name: above 0 for the end of the turn, below 0 against it. For the engineer who asks why it took so long. */
  parts: Readonly<Record<string, number>>
}

/** Says whether a pause is the end of the turn. The same pause gives the same answer. */
export interface TurnDetector {
  readonly name: string
  /** Rejects when it cannot tell, or was aborted: then the embedded one is asked. */
  judge(pause: Pause, signal: AbortSignal): EndOfTurn | Promise<EndOfTurn>
}
