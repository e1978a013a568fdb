import type { Bus, Clock } from '#core/kernel/ports/platform.ts'
import { aliveSubject, announceIntervalMs, type Announcement } from './protocol.ts'

interface AnnouncerDeps {
  bus: Bus
  clock: Clock
  describe: () => Omit<Announcement, 'leaving'>
}

/** Tells the processes on the bus about this service until it leaves. */
export class Announcer {
  readonly #deps: AnnouncerDeps
  readonly #unwatch: () => void
  #cancelTimer = (): void => {}
  #leaving = false

  constructor(deps: AnnouncerDeps) {
    this.#deps = deps
    this.#unwatch = deps.bus.onConnection((connected) => connected && this.#say())
    this.#announce()
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

  #announce(): void {
    this.#say()
    this.#cancelTimer = this.#deps.clock.after(announceIntervalMs, () => this.#announce())
  }

  #say(): void {
    const { bus, describe } = this.#deps
    if (bus.connected) bus.notify(aliveSubject, { ...describe(), leaving: this.#leaving } satisfies Announcement)
  }
}
