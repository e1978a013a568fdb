import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { wake } from '../thread/paced-loop.ts'
import type { Answers, Command, MediaEvent, Question, ThreadSettings } from './media-protocol.ts'
import { closeDescriptors } from '../socket/socket-koffi.ts'
import { startThread } from '../thread/thread.ts'

/** It holds some streams and their frames; the sound itself is outside the heap. */
const heapShare = 1 / 4

interface ThreadObserver {
  onEvent(event: Exclude<MediaEvent, { tell: 'answer' }>): void
  /** The thread ended by itself and answers no more commands. */
  died(error: Error | undefined): void
}

/** The queried thread has ended. */
export class ThreadGone extends Error {
  constructor() {
    super('the media thread is gone')
    this.name = 'ThreadGone'
  }
}

type Kind = Question['do']
type Unasked<K extends Kind> = { do: K } & Omit<Extract<Question, { do: K }>, 'ask'>

/** Main-thread side of one media thread. */
export class MediaThread {
  readonly worker: Worker
  /** Number of streams. */
  load = 0
  readonly #observer: ThreadObserver
  readonly #door = new SharedArrayBuffer(4)
  readonly #late = new Uint32Array(new SharedArrayBuffer(8))
  readonly #questions = new Map<number, { resolve: (value: Answers[keyof Answers]) => void; reject: (error: Error) => void }>()
  readonly #descriptors = new Set<number>()
  /** Commands of one event-loop turn are sent as one message: waking a thread costs as much as sending packets. */
  #outgoing: object[] = []
  #asked = 0
  #alive = true
  #error: Error | undefined
  readonly #exited: Promise<void>

  constructor(settings: Omit<ThreadSettings, 'door' | 'late'>, observer: ThreadObserver) {
    this.#observer = observer
    const workerData: ThreadSettings = { ...settings, door: this.#door, late: this.#late.buffer }
    this.worker = startThread(new URL(`./media-worker${extname(import.meta.filename)}`, import.meta.url), {
      name: 'media',
      workerData,
      heapShare,
    })
    this.worker.on('message', (event: MediaEvent) => this.#notified(event))
    this.worker.on('error', (error: unknown) => (this.#error = error instanceof Error ? error : new Error(String(error))))
    this.#exited = new Promise((resolve) => {
      this.worker.once('exit', () => {
        this.#gone()
        resolve()
      })
    })
  }

  get alive(): boolean {
    return this.#alive
  }

  /** Turns in which packets left late; still readable after the thread's end. */
  get lateTicks(): number {
    return this.#late[0] ?? 0
  }

  /** Turns in which packets left. */
  get ticks(): number {
    return this.#late[1] ?? 0
  }

  notify(command: Exclude<Command, Question>): void {
    if (this.#alive) this.#post(command)
  }

  /** Rejects with ThreadGone. */
  ask<K extends Kind>(question: Unasked<K>): Promise<Answers[K]> {
    if (!this.#alive) return Promise.reject(new ThreadGone())
    const ask = ++this.#asked
    const answer = new Promise<Answers[keyof Answers]>((resolve, reject) => this.#questions.set(ask, { resolve, reject }))
    this.#post({ ...question, ask })
    return answer as Promise<Answers[K]>
  }

  /** koffi sockets belong to the process and would stay open when the thread dies. So only the main thread closes them, once. */
  owns(descriptors: number[]): void {
    for (const descriptor of descriptors) this.#descriptors.add(descriptor)
  }

  closeSockets(descriptors: Iterable<number>): void {
    closeDescriptors([...descriptors].filter((descriptor) => this.#descriptors.delete(descriptor)))
  }

  async close(): Promise<void> {
    await this.ask({ do: 'end' }).catch(() => {})
    await this.#exited
  }

  #post(command: object): void {
    if (this.#outgoing.push(command) === 1) setImmediate(this.#send)
  }

  readonly #send = (): void => {
    this.worker.postMessage(this.#outgoing, [])
    this.#outgoing = []
    wake(this.#door)
  }

  #notified(event: MediaEvent): void {
    if (event.tell !== 'answer') return this.#observer.onEvent(event)
    this.#questions.get(event.ask)?.resolve(event.value)
    this.#questions.delete(event.ask)
  }

  #gone(): void {
    this.#alive = false
    this.closeSockets(this.#descriptors)
    for (const { reject } of this.#questions.values()) reject(new ThreadGone())
    this.#questions.clear()
    this.#observer.died(this.#error)
  }
}
