/** One window of one stream, and what the detector remembers of that stream. */
export interface HeardWindow {
  readonly window: Float32Array
  readonly memory: Float32Array
}

/** Says how likely it is that a window contains speech. */
export interface VoiceDetector {
  /** What it remembers of a stream of which nothing was heard yet; every stream gets a copy. */
  readonly firstMemory: Float32Array
  /** Tones of keys sound like speech to it, but are none. */
  readonly mistakesKeys: boolean
  probability(heard: HeardWindow): number
}
