import { extname } from 'node:path'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import { startModelThread, type ModelThread } from '../model-thread.ts'
import type { PieceOrder, VoicePiece, VoiceCommand, VoiceReport, VoiceThreadSettings } from './voice-protocol.ts'

interface Question {
  id: number
  resolve: (piece: VoicePiece) => void
  reject: (error: Error) => void
}

/** Main-thread side of a thread with a model. It makes one chunk of sound at a time. */
export class VoiceThread {
  readonly #worker: ModelThread['worker']
  readonly #exited: Promise<void>
  readonly #loaded = Promise.withResolvers<void>()
  #question: Question | undefined
  #reason: Error | undefined

  constructor(settings: VoiceThreadSettings) {
    const { worker, ended } = startModelThread(
      new URL(`./voice-worker${extname(import.meta.filename)}`, import.meta.url),
      `voice ${settings.language}`,
      settings,
    )
    this.#worker = worker
    worker.on('message', (report: VoiceReport) => this.#notified(report))
    this.#exited = ended.then((error) => this.#gone(error))
    this.#loaded.promise.catch(() => {})
  }

  /** Rejects when the model cannot be loaded. */
  get loaded(): Promise<void> {
    return this.#loaded.promise
  }

  get alive(): boolean {
    return this.#reason === undefined
  }

  make(order: PieceOrder): Promise<VoicePiece> {
    if (this.#reason) return Promise.reject(this.#reason)
    return new Promise((resolve, reject) => {
      this.#question = { id: order.id, resolve, reject }
      this.#send(order)
    })
  }

  /** Cancels the rest of that sentence. */
  drop(id: number): void {
    if (!this.#reason) this.#send({ drop: id })
  }

  /** The thread ends after its current work. */
  async close(): Promise<void> {
    this.#reason ??= new SpeechUnavailable('the voice was closed')
    this.#send('end')
    await this.#exited
  }

  #send(command: VoiceCommand): void {
    this.#worker.postMessage(command, [])
  }

  #notified(report: VoiceReport): void {
    if (report.tell === 'loaded') return this.#loaded.resolve()
    const question = this.#question
    if (question?.id !== report.id) return
    this.#question = undefined
    if (report.tell === 'sound') question.resolve({ samples: report.samples, last: report.last })
    else question.reject(new SpeechUnavailable(report.message))
  }

  #gone(died: Error | undefined): void {
    this.#reason ??= died ?? new Error('it ended by itself')
    const error =
      this.#reason instanceof SpeechUnavailable ? this.#reason : new SpeechUnavailable(`the voice failed: ${this.#reason.message}`)
    this.#loaded.reject(error)
    this.#question?.reject(error)
    this.#question = undefined
  }
}
