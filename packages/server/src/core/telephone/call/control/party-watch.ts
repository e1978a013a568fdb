import type { Playback } from '#core/kernel/ports/telephony.ts'
import type { Call } from '../call.ts'
import type { Party } from '../state/party.ts'

/** What one phone in a call does that the others shall notice: keys, holding, asking to be replaced. */
export class PartyWatch {
  readonly #call: Call
  readonly #party: Party
  readonly #stopObserving: () => void
  #music: Playback[] = []

  constructor(call: Call, party: Party) {
    this.#call = call
    this.#party = party
    this.#stopObserving = party.leg.observe({
      dtmf: (digit, sounded) => sounded || call.attempt(() => this.#passOn(digit)),
      held: () => call.attempt(() => this.playMusicIfHeld()),
      sound: (state) => call.attempt(() => call.sounds(party, state)),
      moved: () => call.books.changed(),
      transferAsked: (asked) => call.attempt(() => call.parts.onTransfer(call, party, asked)),
    })
  }

  stop(): void {
    this.#stopObserving()
    this.stopMusic()
  }

  stopMusic(): void {
    for (const playing of this.#music) playing.stop()
    this.#music = []
  }

  playMusicIfHeld(): void {
    this.stopMusic()
    if (this.#party.leg.heldByPeer) this.#music = this.#others().map(({ leg }) => leg.audio.play({ music: 'hold' }, { loop: true }))
  }

  #passOn(digit: string): void {
    if (this.#call.state !== 'active' && this.#call.state !== 'consulting') return
    const { onFailure } = this.#call.parts
    for (const { leg } of this.#others()) void leg.audio.sendDtmf(digit).catch((error: unknown) => onFailure(error, this.#call.id))
  }

  /** Those whom it talks with. */
  #others(): Party[] {
    const { parties, consultation } = this.#call
    const waiting = consultation?.waiting
    return this.#party === waiting ? [] : parties.filter((other) => other !== this.#party && other !== waiting)
  }
}
