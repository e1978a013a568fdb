import { talkFrameBytes, talkSampleRate } from '@offhook/contract/v3/talks.ts'

const frameSamples = talkFrameBytes / 2
const frameMs = (1000 * frameSamples) / talkSampleRate
const silence = new Int16Array(frameSamples)

/** Sends sound in real time, as a browser does: what is said, and silence before and after it. */
export class Microphone {
  readonly #send: (frame: Int16Array<ArrayBuffer>) => void
  readonly #timer: NodeJS.Timeout
  #sound = new Int16Array()
  #said: () => void = () => {}

  constructor(send: (frame: Int16Array<ArrayBuffer>) => void) {
    this.#send = send
    const startedAt = performance.now()
    let frames = 0
    this.#timer = setInterval(() => {
      // A late timer sends what it has missed.
      for (const due = (performance.now() - startedAt) / frameMs; frames < due; frames++) this.#next()
    }, frameMs / 2)
  }

  /** Resolves when the last of it is sent, or with the end. */
  says(sound: Int16Array): Promise<void> {
    this.#sound = Int16Array.from(sound)
    return new Promise((resolve) => (this.#said = resolve))
  }

  close(): void {
    clearInterval(this.#timer)
    this.#said()
  }

  #next(): void {
    const frame = this.#sound.length === 0 ? silence : new Int16Array(frameSamples)
    frame.set(this.#sound.subarray(0, frameSamples))
    this.#sound = this.#sound.subarray(frameSamples)
    this.#send(frame)
    if (this.#sound.length === 0) this.#said()
  }
}
