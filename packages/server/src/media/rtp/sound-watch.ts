import type { SoundState } from '../engine.ts'

/** What was counted until now. */
export interface SoundCounts {
  heard: number
  /** Packets as agreed, but of a stranger. */
  unknownSources: number
  /** Of the right sender, but not as agreed. */
  unreadable: number
}

/** Phones take a while to begin. */
const silenceAfterMs = 3_000
/** Some do not send while there is no voice, but keep sending reports. */
const stoppedAfterMs = 10_000
/** Half a second of sound: less may be the rest of another call. */
const fewPackets = 25
/** Reports in a row; the first may be from before our packets arrived. */
const reportsWithoutUs = 3

/** Notices that the far end is not heard, and tells it once. */
export class SoundWatch {
  readonly #notify: (state: SoundState) => void
  #started: { atMs: number; counts: SoundCounts } | undefined
  #last: { atMs: number; heard: number } | undefined
  #told: SoundState | undefined
  #silentReports = 0

  constructor(notify: (state: SoundState) => void) {
    this.#notify = notify
  }

  /** Sound is expected from now on, or no more. */
  expect(value: boolean, nowMs: number, counts: SoundCounts): void {
    if (!value) this.#started = undefined
    else if (!this.#started) {
      this.#started = { atMs: nowMs, counts }
      this.#last = undefined
      this.#told = undefined
    }
  }

  /** Called several times a second. `aliveMs`: when a report came. */
  look(nowMs: number, counts: SoundCounts, aliveMs: number): void {
    const began = this.#started
    if (!began) return
    if (counts.heard > (this.#last?.heard ?? began.counts.heard)) return this.#hears(nowMs, counts.heard)
    const last = this.#last
    const silent = last ? nowMs - Math.max(last.atMs, aliveMs) >= stoppedAfterMs : nowMs - began.atMs >= silenceAfterMs
    if (silent) this.#say(why(counts, began.counts) ?? (last ? 'stopped' : 'nothing'))
  }

  /** The far end tells what it receives: of us, or nothing, although we send. */
  reported(ofUs: boolean): void {
    this.#silentReports = ofUs ? 0 : this.#silentReports + 1
    if (this.#silentReports === reportsWithoutUs) this.#notify('unheard')
  }

  #hears(nowMs: number, heard: number): void {
    this.#last = { atMs: nowMs, heard }
    if (this.#told !== undefined) this.#say('heard')
  }

  #say(state: SoundState): void {
    if (state === this.#told) return
    this.#told = state === 'heard' ? undefined : state
    this.#notify(state)
  }
}

const why = (now: SoundCounts, before: SoundCounts): SoundState | undefined => {
  if (now.unknownSources - before.unknownSources >= fewPackets) return 'unknown_source'
  return now.unreadable - before.unreadable >= fewPackets ? 'unknown_format' : undefined
}
