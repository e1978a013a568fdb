import type { Bus, Clock } from '#core/kernel/ports/platform.ts'
import { aliveSubject, announceIntervalMs, type Announcement } from './protocol.ts'

interface AnnouncerDeps {
  bus: Bus
  clock: Clock
  describe: () => Omit<Announcement, 'leaving'>
  /** The first request must not wait for a model to load. */
  loaded: Promise<void>
}

/** Tells the processes on the bus about this service, from when its models are loaded until it leaves. */
export class Announcer {
  readonly #deps: AnnouncerDeps
  #unwatch = (): void => {}
  #cancelTimer = (): void => {}
  #leaving = false

  constructor(deps: AnnouncerDeps) {
    this.#deps = deps
    void deps.loaded.then(() => this.#begin())
  }

  /** Clients send their requests elsewhere. */
  leave(): void {
    this.#leaving = true
    this.#say()
  }

  close(): Promise<void> {
    if (!this.#leaving) this.leave()
    this.#unwatch()
    this.#cancelTimer()
    return Promise.resolve()
  }

  #begin(): void {
    if (this.#leaving) return
    this.#unwatch = this.#deps.bus.onConnection((connected) => connected && this.#say())
    this.#announce()
  }

  #announce(): void {
    this.#say()
    this.#cancelTimer = this.#deps.clock.after(announceIntervalMs, () => this.#announce())
  }

  #say(): void {
    const { bus, describe } = this.#deps
    if (bus.connected) bus.notify(aliveSubject, { ...describe(), leaving: this.#leaving } satisfies Announcement)
  }
}
