import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { LongReads } from '#core/kernel/ports/store/index.ts'
import { FairQueue } from '#core/kernel/work/fair-queue.ts'
import { startThread } from '#media/thread/thread.ts'
import type { AsideReader, Question } from '../sqlite/question.ts'

/** One of `core/account/long-reads`. */
export interface NamedRead {
  name: string
  input: object
}

/** Start data of the thread. */
export interface LongQuestionsSettings {
  file: string
  /** Calls and requests take precedence. */
  inBackground: boolean
}

/** Answers of the thread, in the order of the queries. */
export type Answer = { result: unknown } | { error: Error }

/** Share of the main thread's heap: the rows of an answer. */
const heapShare = 1 / 8

/** One thread with a separate connection, started with the first query. */
export class LongQuestions {
  readonly #settings: LongQuestionsSettings
  readonly #name: string
  #thread: Worker | undefined
  #asked: PromiseWithResolvers<unknown>[] = []

  constructor(settings: LongQuestionsSettings, name = 'long-questions') {
    this.#settings = settings
    this.#name = name
  }

  get isBusy(): boolean {
    return this.#asked.length > 0
  }

  async ask(question: Question): Promise<object[]> {
    return (await this.put(question)) as object[]
  }

  put(question: Question | NamedRead): Promise<unknown> {
    const asked = Promise.withResolvers<unknown>()
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
    const thread = startThread(script, { name: this.#name, workerData: this.#settings, heapShare })
    thread.on('message', (answer: Answer) => this.#answered(answer))
    thread.on('error', (error) => this.#lost(thread, error))
    thread.on('exit', () => this.#lost(thread, new Error('the thread for long questions has ended')))
    return thread
  }

  #answered(answer: Answer): void {
    const asked = this.#asked.shift()
    if ('error' in answer) asked?.reject(answer.error)
    else asked?.resolve(answer.result)
    if (this.#asked.length === 0) this.#thread?.unref()
  }

  /** The next query starts another thread. */
  #lost(thread: Worker, error: Error): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    for (const asked of this.#asked.splice(0)) asked.reject(error)
  }
}

const readThreads = 2

/**
 * Runs queries over many rows in threads, so that calls do not wait. An account has one query at a time, so that its longest one does not
 * delay others, and accounts take turns.
 */
export class ReadThreads implements LongReads, AsideReader {
  readonly #queue = new FairQueue({ maxRunning: readThreads, maxRunningPerKey: 1 })
  readonly #all: readonly LongQuestions[]
  /** The last used thread is used first: the second is started only when two accounts query at the same time. */
  readonly #idle: LongQuestions[]
  #isClosed = false

  constructor(file: string) {
    this.#all = Array.from({ length: readThreads }, () => new LongQuestions({ file, inBackground: true }))
    this.#idle = [...this.#all]
  }

  async ask(accountId: string, question: Question): Promise<object[]> {
    return (await this.#put(accountId, question)) as object[]
  }

  read(accountId: string, name: string, input: object): Promise<unknown> {
    return this.#put(accountId, { name, input })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#all.map((thread) => thread.close()))
  }

  async #put(accountId: string, question: Question | NamedRead): Promise<unknown> {
    return this.#queue.run(accountId, async () => {
      const thread = this.#isClosed ? undefined : this.#idle.pop()
      if (!thread) throw new Error('the thread for long questions has ended')
      try {
        return await thread.put(question)
      } finally {
        this.#idle.push(thread)
      }
    })
  }
}
