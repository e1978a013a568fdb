import { extname } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import { startThread } from '#media/thread/thread.ts'

export interface Question {
  sql: string
  parameters: readonly SQLInputValue[]
}

/** What the thread says to each question, in the order in which they were put. */
export type Answer = { rows: object[] } | { error: Error }

/** Of what the main thread may have: the rows of an answer. */
const heapShare = 1 / 8

/**
 * Questions over so many rows that calls would wait for the answer meanwhile are put to a thread with a connection of its own, which is started
 * with the first of them.
 */
export class LongQuestions {
  readonly #file: string
  #thread: Worker | undefined
  #asked: PromiseWithResolvers<object[]>[] = []

  constructor(file: string) {
    this.#file = file
  }

  get isBusy(): boolean {
    return this.#asked.length > 0
  }

  ask(question: Question): Promise<object[]> {
    const asked = Promise.withResolvers<object[]>()
    this.#asked.push(asked)
    this.#thread ??= this.#start()
    this.#thread.ref() // until it has answered
    this.#thread.postMessage(question, [])
    return asked.promise
  }

  async close(): Promise<void> {
    await this.#thread?.terminate()
  }

  #start(): Worker {
    const script = new URL(`./long-questions-worker${extname(import.meta.filename)}`, import.meta.url)
    const thread = startThread(script, { name: 'long-questions', workerData: { file: this.#file }, heapShare })
    thread.on('message', (answer: Answer) => this.#answered(answer))
    thread.on('error', (error) => this.#lost(thread, error))
    thread.on('exit', () => this.#lost(thread, new Error('the thread for long questions has ended')))
    return thread
  }

  #answered(answer: Answer): void {
    const asked = this.#asked.shift()
    if ('rows' in answer) asked?.resolve(answer.rows)
    else asked?.reject(answer.error)
    if (this.#asked.length === 0) this.#thread?.unref()
  }

  /** The next question finds another one. */
  #lost(thread: Worker, error: Error): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    for (const asked of this.#asked.splice(0)) asked.reject(error)
  }
}
