import type { Call } from '../call.ts'
import type { Party } from '../state/party.ts'
import { PartyWatch } from './party-watch.ts'

/** Who takes part in a call at the moment. Whoever does is watched, and is on the phone for everybody else. */
export class Attendance {
  readonly #call: Call
  readonly #watches = new Map<Party, PartyWatch>()

  constructor(call: Call) {
    this.#call = call
  }

  get parties(): readonly Party[] {
    return [...this.#watches.keys()]
  }

  has(party: Party): boolean {
    return this.#watches.has(party)
  }

  enter(party: Party): void {
    this.#watches.set(party, new PartyWatch(this.#call, party))
    const answered = party.leg.answered || this.#call.answeredAt !== undefined
    if (party.desk) this.#call.parts.occupancy.enter(party.desk, party, answered)
    this.#call.attempt(() => this.#call.recordings.partiesChanged())
  }

  leave(party: Party): void {
    const watch = this.#watches.get(party)
    this.#call.attempt(() => watch?.stop())
    if (!this.#watches.delete(party)) return
    if (party.desk) this.#call.parts.occupancy.leave(party.desk, party, this.#call.parts.clock.now())
    this.#call.attempt(() => this.#call.recordings.partiesChanged())
  }

  /** Somebody took the call. */
  answered(): void {
    for (const party of this.#watches.keys()) if (party.desk) this.#call.parts.occupancy.answered(party.desk, party)
  }

  /** Nobody hears music because somebody else holds … */
  silence(): void {
    for (const watch of this.#watches.values()) this.#call.attempt(() => watch.stopMusic())
  }

  /** … or those who are held do again. */
  unsilence(): void {
    for (const watch of this.#watches.values()) this.#call.attempt(() => watch.playMusicIfHeld())
  }
}
