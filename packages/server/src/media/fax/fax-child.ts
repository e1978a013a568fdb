import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { FaxUnavailable } from './engine.ts'
import type { FaxCommand, FaxNotice } from './fax-protocol.ts'

export interface FaxChildParts {
  watch: { everyMs: number; misses: number }
  idleMs: number
  /** Once; `why` is undefined when it was meant to end. */
  gone(why: string | undefined): void
}

const startMs = 20_000

/** Told of everything that concerns one fax; `undefined`: the process is gone. */
export type FaxListener = (notice: Extract<FaxNotice, { fax: number }> | undefined) => void

/** A process of faxes, seen from outside. It is asked again and again whether it is still there, and ended when it is not. */
export class FaxChild {
  readonly #parts: FaxChildParts
  readonly #process: ChildProcess
  readonly #listeners = new Map<number, FaxListener>()
  readonly ready: Promise<void>
  readonly exited: Promise<void>
  #watch: NodeJS.Timeout
  #unanswered = 0
  #idle: NodeJS.Timeout | undefined
  #ending = false
  #why: string | undefined

  constructor(parts: FaxChildParts) {
    this.#parts = parts
    const child = fork(join(import.meta.dirname, 'fax-process.ts'), { serialization: 'advanced' })
    this.#process = child
    const ready = Promise.withResolvers<void>()
    this.ready = ready.promise
    child.on('message', (notice: FaxNotice) => {
      if (notice.tell === 'ready') ready.resolve()
      else if (notice.tell === 'unavailable') ready.reject(new FaxUnavailable(notice.why))
      else this.#told(notice)
    })
    child.on('error', (error) => ready.reject(new FaxUnavailable(error.message)))
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        ready.reject(new FaxUnavailable('the process for faxes ended'))
        this.#exit(code, signal)
        resolve()
      })
    })
    this.#watch = setTimeout(() => this.#kill('it did not start'), startMs).unref()
    this.ready.then(
      () => this.#beginToWatch(),
      () => {},
    )
    this.#rest()
  }

  get pid(): number {
    return this.#process.pid ?? -1
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

  tell(command: FaxCommand): void {
    if (this.#process.connected) this.#process.send(command, ignore)
  }

  end(): void {
    this.#ending = true
    if (this.#process.connected) this.#process.disconnect()
  }

  #rest(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.end(), this.#parts.idleMs).unref()
  }

  #told(notice: FaxNotice): void {
    this.#unanswered = 0
    if ('fax' in notice) this.#listeners.get(notice.fax)?.(notice)
  }

  #beginToWatch(): void {
    clearTimeout(this.#watch)
    this.#watch = setInterval(() => this.#ask(), this.#parts.watch.everyMs).unref()
  }

  /** Counted in questions, not in time: while we stand still, it cannot answer. */
  #ask(): void {
    if (this.#unanswered++ < this.#parts.watch.misses) return this.tell({ do: 'watch' })
    this.#kill('it did not answer any more')
  }

  #kill(why: string): void {
    this.#why = why
    this.#process.kill('SIGKILL')
  }

  #exit(code: number | null, signal: string | null): void {
    clearTimeout(this.#watch)
    clearTimeout(this.#idle)
    const meant = this.#ending && this.#why === undefined
    this.#ending = true
    for (const listener of this.#listeners.values()) listener(undefined)
    this.#listeners.clear()
    this.#parts.gone(meant ? undefined : (this.#why ?? `it ended with ${signal ?? code}`))
  }
}

const ignore = (): void => {}
