import type { SpeechRun } from './speech-run.ts'

export interface VoiceObserver {
  /** It is over: it came to its end, or was stopped, perhaps before it sounded. Told once for each that was added. */
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

  /** So many come after the one that is heard. */
  get waiting(): number {
    return this.#waiting.length
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

  /** Ends what plays, at once, and drops what waits. */
  interrupt(): void {
    this.#drop(() => true)
  }

  /** Drops what did not begin to sound. */
  discard(unwanted: (run: SpeechRun) => boolean): void {
    this.#drop((run) => run.line.begunAt === undefined && unwanted(run))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#current = undefined
    this.#waiting = []
    const running = [...this.#running]
    for (const run of running) run.stop()
    await Promise.all(running.map(({ done }) => done))
  }

  #drop(unwanted: (run: SpeechRun) => boolean): void {
    const first = this.#current
    const dropped = [...(first ? [first] : []), ...this.#waiting].filter(unwanted)
    this.#waiting = this.#waiting.filter((run) => !dropped.includes(run))
    if (first && dropped.includes(first)) this.#current = undefined
    for (const run of dropped) {
      run.stop()
      this.#observer.ended(run)
    }
    if (first && !this.#current) this.#goOn()
  }

  #finished(run: SpeechRun): void {
    this.#running.delete(run)
    if (this.#current !== run) return
    this.#current = undefined
    this.#observer.ended(run)
    this.#goOn()
  }

  #goOn(): void {
    this.#advance()
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
