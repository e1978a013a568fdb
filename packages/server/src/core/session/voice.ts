import type { SpeechRun } from './speech-run.ts'

export interface VoiceObserver {
  /** It ended or was cut, and something of it may have sounded. */
  ended(run: SpeechRun): void
  /** Nothing is playing or waiting any more. */
  quiet(): void
}

/** What the assistant says, one speech after the other. */
export class Voice {
  readonly #observer: VoiceObserver
  /** Must not begin yet: the caller is speaking. */
  readonly #held: (run: SpeechRun) => boolean
  #current: SpeechRun | undefined
  #waiting: SpeechRun[] = []
  #closed = false
  /** Stopped or not, they still have something to put away. */
  readonly #running = new Set<SpeechRun>()

  constructor(observer: VoiceObserver, held: (run: SpeechRun) => boolean) {
    this.#observer = observer
    this.#held = held
  }

  get speaking(): boolean {
    return this.#current !== undefined
  }

  /** What the caller hears. */
  get sounding(): SpeechRun | undefined {
    const line = this.#current?.line
    return line?.playing && line.begunAt !== undefined ? this.#current : undefined
  }

  /** What the caller heard until it was suspended. */
  get suspended(): SpeechRun | undefined {
    const line = this.#current?.line
    return line && !line.playing && !line.over && line.begunAt !== undefined ? this.#current : undefined
  }

  add(run: SpeechRun): void {
    if (this.#closed) return
    this.#running.add(run)
    void run.done.then(() => this.#finished(run))
    void run.made.then(() => this.#waiting[0]?.prepare())
    this.#waiting.push(run)
    this.#advance()
  }

  /** What was suspended goes on, and what was held begins, unless it still has to wait. */
  release(): void {
    const run = this.#current
    if (run && (run.line.begunAt !== undefined || !this.#held(run))) run.start()
  }

  /** Silence at once; `release` goes on. */
  suspend(): void {
    this.#current?.hold()
  }

  /** What has not begun to sound waits, if it has to. */
  holdBack(): void {
    const run = this.#current
    if (run && run.line.begunAt === undefined && this.#held(run)) run.hold()
  }

  /** Ends what plays, at once, and drops what waits. Gives what was dropped before it sounded. */
  interrupt(): SpeechRun[] {
    const cut = this.#current
    if (!cut) return []
    const dropped = this.#waiting
    this.#current = undefined
    this.#waiting = []
    for (const run of [cut, ...dropped]) run.stop()
    this.#observer.ended(cut)
    this.#tellQuiet()
    return cut.line.begunAt === undefined ? [cut, ...dropped] : dropped
  }

  /** Drops what did not begin to sound. */
  discard(unwanted: (run: SpeechRun) => boolean): SpeechRun[] {
    const dropped = this.#waiting.filter(unwanted)
    this.#waiting = this.#waiting.filter((run) => !dropped.includes(run))
    for (const run of dropped) run.stop()
    const first = this.#current
    if (first && first.line.begunAt === undefined && unwanted(first)) {
      this.#current = undefined
      first.stop()
      dropped.unshift(first)
      this.#advance()
      this.#tellQuiet()
    }
    return dropped
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#current = undefined
    this.#waiting = []
    const running = [...this.#running]
    for (const run of running) run.stop()
    await Promise.all(running.map(({ done }) => done))
  }

  #finished(run: SpeechRun): void {
    this.#running.delete(run)
    if (this.#current !== run) return
    this.#current = undefined
    this.#observer.ended(run)
    this.#advance()
    this.#tellQuiet()
  }

  #tellQuiet(): void {
    if (!this.#current) this.#observer.quiet()
  }

  #advance(): void {
    if (this.#current) return
    const next = this.#waiting.shift()
    if (!next) return
    this.#current = next
    next.prepare()
    this.release()
  }
}
