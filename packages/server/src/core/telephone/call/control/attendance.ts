import type { CallContext } from '../state/call-context.ts'
import type { Party } from '../state/party.ts'
import { PartyWatch, type WatchedCall } from './party-watch.ts'

/** A call with parties that come and leave. */
interface AttendedCall extends WatchedCall {
  readonly context: Pick<CallContext, 'occupancy' | 'clock' | 'onFailure'>
  readonly answeredAt: number | undefined
  readonly recordings: { partiesChanged(): void }
}

interface AttendingParty {
  watch: PartyWatch
  /** The account that ordered the call for this party, if one did. */
  orderedBy: string | undefined
}

/** Who takes part in a call at the moment. Each party is watched, and its phone is busy for other calls. */
export class Attendance {
  readonly #call: AttendedCall
  readonly #attending = new Map<Party, AttendingParty>()

  constructor(call: AttendedCall) {
    this.#call = call
  }

  get parties(): readonly Party[] {
    return [...this.#attending.keys()]
  }

  has(party: Party): boolean {
    return this.#attending.has(party)
  }

  orderedBy(party: Party): string | undefined {
    return this.#attending.get(party)?.orderedBy
  }

  enter(party: Party, orderedBy: string | undefined): void {
    this.#attending.set(party, { watch: new PartyWatch(this.#call, party), orderedBy })
    const answered = party.leg.answered || this.#call.answeredAt !== undefined
    if (party.station) this.#call.context.occupancy.enter(party.station, party, answered)
    this.#call.attempt(() => this.#call.recordings.partiesChanged())
  }

  leave(party: Party): void {
    const watch = this.#attending.get(party)?.watch
    this.#call.attempt(() => watch?.stop())
    if (!this.#attending.delete(party)) return
    const { occupancy, clock } = this.#call.context
    if (party.station) occupancy.leave(party.station, party, clock.now())
    this.#call.attempt(() => this.#call.recordings.partiesChanged())
  }

  /** The call was taken. */
  answered(): void {
    for (const party of this.#attending.keys()) if (party.station) this.#call.context.occupancy.answered(party.station, party)
  }

  /** No party hears music because another one holds the call … */
  silence(): void {
    for (const { watch } of this.#attending.values()) this.#call.attempt(() => watch.stopMusic())
  }

  /** … or the parties that are held do again. */
  unmute(): void {
    for (const { watch } of this.#attending.values()) this.#call.attempt(() => watch.playMusicIfHeld())
  }
}
