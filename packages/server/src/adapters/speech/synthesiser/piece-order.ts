/** Frames of 11.6 ms at normal speed. The first piece must last while the next is made. */
const growing = [24, 60, 120, 240] as const
const maxBytes = 240
const framesPerMs = 44.1 / 512
/** While this much is still to be played, there is time for a piece of twice that length: a sound takes a seventh of its length to be made. */
const safely = 2
/** As long as a usual piece takes to be made: what is due within it can't wait for another one. */
const soonThresholdMs = 150

/** What is needed so late is not needed at all, perhaps: a sentence that comes meanwhile waits for one piece of it. */
const longDelayMs = 60_000
const whileIdle = 120

/** Before the first sound. */
const silentFrames = 6
/** What a piece costs besides its own frames: a part of those around it has to be computed as well; see vocoder.ts. */
const contextFrames = 6

/** How long a frame takes to be made, lately: more on a busy machine. */
export class Pace {
  #msPerFrame = 1

  get msPerFrame(): number {
    return this.#msPerFrame
  }

  made(frames: number, ms: number): void {
    this.#msPerFrame += (ms / (frames + contextFrames) - this.#msPerFrame) / 4
  }
}

/**
 * How long a piece shall be. Longer ones cost less, shorter ones are there sooner; but the first must last until the second is made.
 * `aheadMs` are still to be played before it.
 */
export const chunkFrames = (before: number, aheadMs: number, { msPerFrame }: Pick<Pace, 'msPerFrame'>): number => {
  if (aheadMs > longDelayMs) return whileIdle
  const ahead = Math.floor(safely * aheadMs * framesPerMs)
  const lasting = before === 0 ? silentFrames + Math.ceil((growing[1] + contextFrames) * msPerFrame * framesPerMs) : 0
  return Math.min(maxBytes, Math.max(growing[before] ?? maxBytes, ahead, lasting))
}

export interface Urgency {
  /** On the clock of `performance`. */
  due: number
  /** Some of the sentence was made. */
  started: boolean
}

/**
 * First what would fall silent in the middle of a sentence; then callers who wait for a first sound; then the rest of what was begun, so that
 * few sentences are held half made; last what is only needed later.
 */
const rankOf = ({ due, started }: Urgency, now: number): number => {
  const soon = due - now < soonThresholdMs
  return started ? (soon ? 0 : 2) : soon ? 1 : 3
}

export const maxUrgent = <T extends Urgency>(waiting: readonly T[], now: number): T | undefined =>
  waiting.toSorted((one, other) => rankOf(one, now) - rankOf(other, now) || one.due - other.due)[0]
