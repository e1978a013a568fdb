/** Time that all threads of a process share: monotonic milliseconds. */
const sharedMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Creates the memory of a permit without a limit. */
export const permitMemory = (): SharedArrayBuffer => {
  const memory = new SharedArrayBuffer(8)
  new Float64Array(memory)[0] = Infinity
  return memory
}

/** Main thread: the media threads may send for this many milliseconds from now. */
export const permitFor = (memory: SharedArrayBuffer, ms: number): void => {
  new Float64Array(memory)[0] = sharedMs() + ms
}

/**
 * Media thread: may packets leave? The main thread extends the permit while the calls are certainly ours. If the process or only its main
 * thread stands still, the permit expires without a message.
 */
export class SendPermit {
  readonly #until: Float64Array
  /** Difference between the shared time and `performance.now()` of this thread. */
  readonly #gapMs = sharedMs() - performance.now()

  constructor(memory: SharedArrayBuffer) {
    this.#until = new Float64Array(memory)
  }

  get isOpen(): boolean {
    const until = this.#until[0]!
    return until === Infinity || performance.now() + this.#gapMs < until
  }
}
