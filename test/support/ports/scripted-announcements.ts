import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Announcement, Sound } from '#core/kernel/ports/audio.ts'

/** Announcements of a scripted phone, which take precedence over other sound and play one after the other. */
export class ScriptedAnnouncements {
  /** The first one is playing. */
  readonly waiting: { sound: Sound; end: (completed: boolean) => void }[] = []
  readonly #clock: Clock
  readonly #soundMs: number
  #before: Promise<unknown> = Promise.resolve()

  constructor(clock: Clock, soundMs: number) {
    this.#clock = clock
    this.#soundMs = soundMs
  }

  add(sound: Sound, urgent: boolean): Announcement {
    const before = urgent ? Promise.resolve() : this.#before
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: done, resolve } = Promise.withResolvers<{ completed: boolean; playedMs: number }>()
    let cancel = (): void => {}
    const end = (completed: boolean): void => {
      cancel()
      this.waiting.splice(this.waiting.indexOf(entry), this.waiting.includes(entry) ? 1 : 0)
      resolve({ completed, playedMs: completed ? this.#soundMs : 0 })
    }
    const entry = { sound, end }
    if (urgent) this.waiting.unshift(entry)
    else this.waiting.push(entry)
    void before.then(() => {
      if (!this.waiting.includes(entry)) return
      begin()
      cancel = this.#clock.after(this.#soundMs, () => end(true))
    })
    this.#before = Promise.all([this.#before, done])
    return { begun, done, stop: () => end(false) }
  }

  stop(): void {
    for (const { end } of this.waiting.slice()) end(false)
  }
}
