import { fork, type ChildProcess } from 'node:child_process'
import { extname, join } from 'node:path'
import { FaxUnavailable } from './engine.ts'
import type { FaxCommand, FaxEvent } from './fax-protocol.ts'

export interface FaxChildDeps {
  watch: { everyMs: number; misses: number }
  idleMs: number
  endMs: number
  /** One fax ended by a fault. */
  failed(why: string): void
  /** Once; `why` is undefined when it was meant to end. */
  gone(why: string | undefined): void
}

const startMs = 20_000

/** Told of everything that concerns one fax; `undefined`: the process is gone. */
export type FaxListener = (event: Extract<FaxEvent, { fax: number }> | undefined) => void

/** A process of faxes, seen from outside. It is asked again and again whether it is still there, and ended when it is not. */
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
    // A process that could not be started does not exit.
    child.on('error', (error) => child.pid === undefined && over(error.message))
    this.#watch = setTimeout(() => this.#kill('it did not start'), startMs).unref()
    this.ready.then(
      () => this.#beginToWatch(),
      () => {},
    )
    this.#rest()
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#process.pid
  }

  /** How many faxes it has. */
  get load(): number {
    return this.#listeners.size
  }

  /** Nothing new is given to one that ends. */
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

  /** It gets nothing new, and some time to finish what it has. */
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
    this.#watch = setInterval(() => this.#ask(), this.#deps.watch.everyMs).unref()
  }

  /** Counted in questions, not in time: while we stand still, it cannot answer. */
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
