import { fork, type ChildProcess } from 'node:child_process'
import { extname, join } from 'node:path'
import { FaxUnavailable } from './engine.ts'
import type { FaxCommand, FaxEvent } from './fax-run.ts'

interface FaxChildDeps {
  watch: { intervalMs: number; misses: number }
  idleMs: number
  endMs: number
  /** One fax ended by an internal error. */
  failed(why: string): void
  /** Called once; `why` is undefined for an intended end. */
  gone(why: string | undefined): void
}

const startMs = 20_000

/** Called with each event of one fax; `undefined`: the process has ended. */
type FaxListener = (event: Extract<FaxEvent, { fax: number }> | undefined) => void

/** Parent side of a fax process. Polls it, and kills it when it does not answer. */
export class FaxChild {
  readonly #deps: FaxChildDeps
  readonly #process: ChildProcess
  readonly #listeners = new Map<number, FaxListener>()
  readonly ready: Promise<void>
  readonly exited: Promise<void>
  #watch: NodeJS.Timeout
  #unanswered = 0
  #idle: NodeJS.Timeout | undefined
  #ending = false
  #why: string | undefined

  constructor(deps: FaxChildDeps) {
    this.#deps = deps
    const child = fork(join(import.meta.dirname, `fax-process${extname(import.meta.filename)}`), { serialization: 'advanced' })
    this.#process = child
    const ready = Promise.withResolvers<void>()
    const exited = Promise.withResolvers<void>()
    this.ready = ready.promise
    this.exited = exited.promise
    const over = (why: string): void => {
      ready.reject(new FaxUnavailable(`the process for faxes ended: ${why}`))
      this.#exit(why)
      exited.resolve()
    }
    child.on('message', (event: FaxEvent) => {
      if (event.tell === 'ready') ready.resolve()
      else if (event.tell === 'unavailable') {
        ready.reject(new FaxUnavailable(event.why))
        this.end()
      } else this.#notified(event)
    })
    child.once('exit', (code, signal) => over(`it ended with ${signal ?? code}`))
    // A process that failed to start does not emit `exit`.
    child.on('error', (error) => child.pid === undefined && over(error.message))
    this.#watch = setTimeout(() => this.#kill('it did not start'), startMs).unref()
    this.ready.then(
      () => this.#beginToWatch(),
      () => {},
    )
    this.#rest()
  }

  /** Undefined when it failed to start. */
  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Number of faxes. */
  get load(): number {
    return this.#listeners.size
  }

  /** An ending process gets no new faxes. */
  get usable(): boolean {
    return !this.#ending
  }

  listen(fax: number, listener: FaxListener): void {
    clearTimeout(this.#idle)
    this.#listeners.set(fax, listener)
  }

  forget(fax: number): void {
    this.#listeners.delete(fax)
    if (this.load === 0) this.#rest()
  }

  notify(command: FaxCommand): void {
    if (this.#process.connected) this.#process.send(command, ignore)
  }

  /** Accepts no new faxes, and leaves some time to finish the current ones. */
  hurry(): void {
    this.#ending = true
    clearTimeout(this.#watch)
    this.#watch = setTimeout(() => this.#kill('it did not end'), this.#deps.endMs).unref()
  }

  end(): void {
    this.hurry()
    if (this.#process.connected) this.#process.disconnect()
  }

  #rest(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.end(), this.#deps.idleMs).unref()
  }

  #notified(event: FaxEvent): void {
    this.#unanswered = 0
    if (event.tell === 'closed' && event.failure !== undefined) this.#deps.failed(event.failure)
    if ('fax' in event) this.#listeners.get(event.fax)?.(event)
  }

  #beginToWatch(): void {
    if (this.#ending) return
    clearTimeout(this.#watch)
    this.#watch = setInterval(() => this.#ask(), this.#deps.watch.intervalMs).unref()
  }

  /** Counts polls, not time: while this process is stalled, the answers cannot arrive. */
  #ask(): void {
    if (this.#unanswered++ < this.#deps.watch.misses) return this.notify({ do: 'watch' })
    this.#kill('it did not answer any more')
  }

  #kill(why: string): void {
    this.#why = why
    this.#process.kill('SIGKILL')
  }

  #exit(why: string): void {
    const meant = this.#ending && this.#why === undefined
    this.#ending = true
    for (const listener of this.#listeners.values()) listener(undefined)
    this.#listeners.clear()
    clearTimeout(this.#watch)
    clearTimeout(this.#idle)
    this.#deps.gone(meant ? undefined : (this.#why ?? why))
  }
}

const ignore = (): void => {}
