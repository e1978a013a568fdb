import { extname } from 'node:path'
import type { Log } from '#log/log-events.ts'
import { startModelThread, type ModelThread } from '../model-thread.ts'
import type { TurnModelCommand, TurnModelInput, TurnModelReport } from './turn-model-protocol.ts'

/** Runs a turn model in a thread of its own, for all calls. Starts the thread again after it died. */
export class TurnModelThread {
  readonly #file: string
  readonly #log: Log
  readonly #waiting = new Map<number, { resolve: (value: number) => void; reject: (error: Error) => void }>()
  #thread: ModelThread | undefined
  #state: 'new' | 'loading' | 'loaded' | 'unusable' = 'new'
  #settled = Promise.withResolvers<void>()
  #lastId = 0
  #closed = false

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
  }

  get state(): 'new' | 'loading' | 'loaded' | 'unusable' {
    return this.#state
  }

  /** Loads the model ahead of the first question. Resolves when it is loaded, or cannot be. */
  start(): Promise<void> {
    if (!this.#closed) this.#thread ??= this.#start()
    return this.#settled.promise
  }

  /** The model's number for this input. */
  async ask(input: TurnModelInput, signal: AbortSignal): Promise<number> {
    signal.throwIfAborted()
    if (this.#closed) throw new Error('it is closed')
    void this.start()
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const id = ++this.#lastId
    const forget = (): void => reject(signal.reason as Error)
    this.#waiting.set(id, { resolve, reject })
    signal.addEventListener('abort', forget)
    this.#post({ do: 'judge', id, input }, ['sound' in input ? input.sound.buffer : input.rows.buffer])
    try {
      return await promise
    } finally {
      this.#waiting.delete(id)
      signal.removeEventListener('abort', forget)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const thread = this.#thread
    if (!thread) return
    thread.worker.ref()
    this.#post({ do: 'end' })
    await thread.ended
  }

  #start(): ModelThread {
    this.#state = 'loading'
    const script = new URL(`./turn-model-worker${extname(import.meta.filename)}`, import.meta.url)
    const thread = startModelThread(script, 'turns', { model: this.#file })
    thread.worker.unref() // an idle model does not keep the process alive
    thread.worker.on('message', (report: TurnModelReport) => this.#notified(report))
    void thread.ended.then((error) => this.#ended(error))
    return thread
  }

  #post(command: TurnModelCommand, transfer: ArrayBuffer[] = []): void {
    this.#thread?.worker.postMessage(command, transfer)
  }

  #notified(report: TurnModelReport): void {
    if (report.tell === 'loaded') {
      this.#state = 'loaded'
      return this.#settled.resolve()
    }
    if (report.tell === 'unusable') {
      this.#state = 'unusable'
      this.#settled.resolve()
      return this.#log('turn_model_unusable', { why: report.message })
    }
    const waiting = this.#waiting.get(report.id)
    if (report.tell === 'failed') waiting?.reject(new Error(report.message))
    else waiting?.resolve(report.value)
  }

  /** The next question starts another thread. */
  #ended(error: Error | undefined): void {
    this.#thread = undefined
    this.#state = 'new'
    this.#settled.resolve()
    if (!this.#closed) this.#log('turn_model_died', { err: error })
    for (const { reject } of this.#waiting.values()) reject(new Error('its thread has ended'))
  }
}
