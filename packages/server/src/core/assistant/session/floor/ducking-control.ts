import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Audio } from '#core/kernel/ports/telephony.ts'

/** The detector needs about as long to be sure. It is too early for words, but not for showing the caller that the assistant listens. */
const voicedForMs = 60
/** After this much silence the assistant is as loud as before. */
const silentForMs = 400
/** A voice that has not stopped the assistant by then is a noise, or other people: it is spoken over until it pauses. */
const maxMs = 2000

export interface DuckingDeps {
  clock: Clock
  audio: Pick<Audio, 'duck'>
  /** Something sounds that makes room for the caller's voice. */
  makesRoom: () => boolean
  /** The level has changed. */
  changed: (ducked: boolean) => void
}

/** Makes the assistant softer while the caller's voice is heard and it is not clear yet whether that is an interruption. */
export class DuckingControl {
  readonly #deps: DuckingDeps
  /** Undefined: no voice is heard. */
  #voicedSince: number | undefined
  /** A voice was noticed, but it is not sure that it is one. */
  #noticed = false
  #silentSince = -Infinity
  /** When the voice began, short silences left aside. */
  #since = 0
  /** Of the caller's turn, until the last silence. */
  #voicedMs = 0
  #ducked = false
  #cancelTimer: () => void = () => {}

  constructor(deps: DuckingDeps) {
    this.#deps = deps
  }

  /** How much voice there was in this turn until now. */
  get voicedMs(): number {
    return this.#voicedMs + (this.#voicedSince === undefined ? 0 : this.#deps.clock.now() - this.#voicedSince)
  }

  /** Perhaps a voice. If none follows, it is as after one that has just ended. */
  noticed(at: number): void {
    if (this.#voicedSince !== undefined) return
    this.#heard(at)
    this.#noticed = true
    this.#silentSince = at
    this.attend()
  }

  /** What the voice detector says, and of when. */
  voice(speaks: boolean, at: number): void {
    if (speaks && this.#voicedSince === undefined) {
      this.#heard(at)
      this.#noticed = false
      this.#voicedSince = at
    } else if (!speaks && this.#voicedSince !== undefined) {
      this.#voicedMs += Math.max(0, at - this.#voicedSince)
      this.#voicedSince = undefined
      this.#silentSince = at
    }
    this.attend()
  }

  /** The voice belongs to a new turn. */
  began(): void {
    this.#voicedMs = 0
  }

  /** What sounds has changed, or the voice, or time has passed. */
  attend(): void {
    this.#cancelTimer()
    const { ducked, forMs } = this.#wanted()
    if (ducked !== this.#ducked) {
      this.#ducked = ducked
      this.#duck(ducked)
      this.#deps.changed(ducked)
    }
    if (forMs < Infinity) this.#cancelTimer = this.#deps.clock.after(forMs, () => this.attend())
  }

  close(): void {
    this.#cancelTimer()
    if (this.#ducked) this.#duck(false)
    this.#ducked = false
  }

  #heard(at: number): void {
    if (at - this.#silentSince >= silentForMs) this.#since = at
  }

  /** Whether it becomes softer is not worth a call: a leg that cannot is gone, or will tell so itself. */
  #duck(ducked: boolean): void {
    try {
      this.#deps.audio.duck(ducked)
    } catch {}
  }

  /** `forMs`: if nothing happens before. */
  #wanted(): { ducked: boolean; forMs: number } {
    const asBefore = { ducked: false, forMs: Infinity }
    if (!this.#deps.makesRoom()) return asBefore
    const now = this.#deps.clock.now()
    const age = now - this.#since
    if (this.#voicedSince === undefined) {
      const left = Math.min(this.#silentSince + silentForMs - now, this.#noticed ? maxMs - age : Infinity)
      return (this.#ducked || this.#noticed) && left > 0 ? { ducked: true, forMs: left } : asBefore
    }
    if (age < voicedForMs && !this.#ducked) return { ducked: false, forMs: voicedForMs - age }
    return age < maxMs ? { ducked: true, forMs: maxMs - age } : asBefore
  }
}
