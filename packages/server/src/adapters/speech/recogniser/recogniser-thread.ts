import { extname } from 'node:path'
import { startModelThread, type ModelThread } from '../model-thread.ts'
import type { Engine } from './engine-choice.ts'
import type { RecogniserCommand, Heard, RecogniserReport, Task, WorkerSettings } from './recogniser-protocol.ts'

interface Waiting {
  resolve: (heard: Heard | undefined) => void
  reject: (error: Error) => void
}

/** One worker, seen from the main thread. It does one thing at a time. */
export class RecogniserThread {
  /** Resolves when it has ended, by itself or because it was closed. */
  readonly ended: Promise<void>
  readonly #worker: ModelThread['worker']
  readonly #loaded = new Set<Engine>()
  #waiting: Waiting | undefined

  constructor(settings: WorkerSettings, script = new URL(`./recogniser-worker${extname(import.meta.filename)}`, import.meta.url)) {
    const { worker, ended } = startModelThread(script, 'recogniser', settings)
    this.#worker = worker
    // What waits for an answer holds the process; an idle recogniser does not.
    worker.unref()
    worker.on('message', (report: RecogniserReport) => this.#notified(report))
    this.ended = ended.then((error) => {
      this.#answer()?.reject(new Error(`the recogniser has died: ${error?.message ?? 'its thread ended'}`))
    })
  }

  get busy(): boolean {
    return this.#waiting !== undefined
  }

  has(engine: Engine): boolean {
    return this.#loaded.has(engine)
  }

  async hear(task: Task): Promise<Heard> {
    const heard = await this.#ask({ do: 'hear', task }, [task.sound.buffer])
    if (!heard) throw new Error('the recogniser gave no answer')
    this.#loaded.add(task.engine)
    return heard
  }

  async load(engine: Engine, folder: string): Promise<void> {
    await this.#ask({ do: 'load', engine, folder })
    this.#loaded.add(engine)
  }

  /** What it does is not wanted any more; it stops at the next word. */
  cancel(): void {
    this.#post({ do: 'cancel' })
  }

  async close(): Promise<void> {
    this.#worker.ref()
    this.cancel()
    this.#post({ do: 'end' })
    await this.ended
  }

  #ask(command: RecogniserCommand, transfer: ArrayBuffer[] = []): Promise<Heard | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#worker.ref()
      this.#post(command, transfer)
    })
  }

  #post(command: RecogniserCommand, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(command, transfer)
  }

  #notified(report: RecogniserReport): void {
    const waiting = this.#answer()
    if (report.tell === 'done') waiting?.resolve(report.heard)
    else waiting?.reject(report.cancelled ? new DOMException('not wanted any more', 'AbortError') : new Error(report.message))
  }

  #answer(): Waiting | undefined {
    const waiting = this.#waiting
    this.#waiting = undefined
    this.#worker.unref()
    return waiting
  }
}
