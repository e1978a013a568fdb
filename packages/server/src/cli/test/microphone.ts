import { talkFrameBytes, talkSampleRate } from '@offhook/contract/v3/talks.ts'
import { isAudible, type LineSound } from '#adapters/speech/callers/line-sound.ts'

export const frameSamples = talkFrameBytes / 2
export const frameMs = (1000 * frameSamples) / talkSampleRate

/** Time of a call. */
export interface CallClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Runs the task after `ms` milliseconds; returns a function that cancels it. */
  after(ms: number, task: () => void): () => void
}

export const realClock: CallClock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}

/** When a sentence was said: its first and its last audible frame. */
export interface SaidAt {
  from: number | undefined
  to: number | undefined
  /** All of it is sent. */
  ended: boolean
}

interface MicrophoneDeps {
  clock: CallClock
  line: LineSound
  send: (frame: Int16Array<ArrayBuffer>) => void
}

/** Sends audio in real time, as a browser does: speech, and the sound of the line around it. */
export class Microphone {
  readonly #deps: MicrophoneDeps
  readonly #startedAt: number
  #cancel: () => void = () => {}
  #sent = 0
  #sound = new Int16Array()
  #said: SaidAt | undefined
  #done: () => void = () => {}

  constructor(deps: MicrophoneDeps) {
    this.#deps = deps
    this.#startedAt = deps.clock.now()
    this.#pump()
  }

  /** `at` is filled while it is said. Resolves when all of it is sent, or at the end. */
  says(sound: Int16Array, at: SaidAt): Promise<void> {
    this.#sound = Int16Array.from(sound)
    this.#said = at
    return new Promise((resolve) => (this.#done = resolve))
  }

  close(): void {
    this.#cancel()
    this.#finish()
  }

  /** A late timer catches up. */
  #pump(): void {
    const { clock } = this.#deps
    while (this.#sent * frameMs <= clock.now() - this.#startedAt) this.#next()
    this.#cancel = clock.after(Math.max(0, this.#startedAt + this.#sent * frameMs - clock.now()), () => this.#pump())
  }

  #next(): void {
    const { line, send } = this.#deps
    const at = this.#startedAt + this.#sent * frameMs
    this.#sent += 1
    const voice = new Int16Array(frameSamples)
    voice.set(this.#sound.subarray(0, frameSamples))
    this.#sound = this.#sound.subarray(frameSamples)
    if (this.#said && isAudible(voice)) {
      this.#said.from ??= at
      this.#said.to = at + frameMs
    }
    send(line.carry(voice))
    if (this.#sound.length === 0) this.#finish()
  }

  #finish(): void {
    if (this.#said) this.#said.ended = true
    this.#said = undefined
    this.#done()
  }
}
