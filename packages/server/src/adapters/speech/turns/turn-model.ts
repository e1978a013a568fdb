import { basename, extname } from 'node:path'
import type { EndOfTurn, Pause, TurnDetector } from '#core/kernel/ports/assistant.ts'
import type { Log } from '#log/log-events.ts'
import { startModelThread, type ModelThread } from '../model-thread.ts'
import { heardSeconds, type TurnModelCommand, type TurnModelReport } from './turn-model-protocol.ts'

/** The operator's turn model in a separate thread: returns the probability that a turn is over. Shared by all calls. */
export class TurnModel implements TurnDetector {
  readonly name: string
  readonly #file: string
  readonly #log: Log
  readonly #waiting = new Map<number, { resolve: (end: EndOfTurn) => void; reject: (error: Error) => void }>()
  #thread: ModelThread | undefined
  #lastId = 0
  #closed = false

  /** Loads immediately: the first pause of a caller is too late. */
  constructor(file: string, log: Log) {
    this.name = basename(file)
    this.#file = file
    this.#log = log
    this.#thread = this.#start()
  }

  async judge({ sound }: Pause, signal: AbortSignal): Promise<EndOfTurn> {
    signal.throwIfAborted()
    if (this.#closed) throw new Error('it is closed')
    this.#thread ??= this.#start()
    const { promise, resolve, reject } = Promise.withResolvers<EndOfTurn>()
    const id = ++this.#lastId
    const forget = (): void => reject(signal.reason as Error)
    this.#waiting.set(id, { resolve, reject })
    signal.addEventListener('abort', forget)
    const samples = sound(heardSeconds)
    this.#post({ do: 'judge', id, sound: samples }, [samples.buffer])
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
    if (report.tell === 'loaded') return
    if (report.tell === 'unusable') return this.#log('turn_model_unusable', { why: report.message })
    const waiting = this.#waiting.get(report.id)
    if (report.tell === 'failed') return waiting?.reject(new Error(report.message))
    const { probability } = report
    waiting?.resolve({ probability, parts: { model: probability } })
  }

  /** The next question starts another thread. */
  #ended(error: Error | undefined): void {
    this.#thread = undefined
    if (!this.#closed) this.#log('turn_model_died', { err: error })
    for (const { reject } of this.#waiting.values()) reject(new Error('its thread has ended'))
  }
}
