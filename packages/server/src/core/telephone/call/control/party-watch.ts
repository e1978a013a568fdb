import type { Playback, SoundState, TransferAsked } from '#core/kernel/ports/telephony.ts'
import type { CallTimeline } from '../records/call-timeline.ts'
import type { CallProgress } from '../state/call-progress.ts'
import type { OngoingCall } from '../state/ongoing-call.ts'
import type { Party } from '../state/party.ts'

/** A call as one of its phones can change it. */
export interface WatchedCall extends Pick<OngoingCall, 'id' | 'parties' | 'attempt'> {
  readonly context: { onFailure: (error: unknown, callId: string) => void }
  readonly progress: Pick<CallProgress, 'state' | 'consultation' | 'briefed'>
  readonly books: { changed(): void }
  readonly reports: { sound(party: Party, state: SoundState): void }
  readonly timeline: Pick<CallTimeline, 'legEnded'>
  transferAsked(party: Party, asked: TransferAsked): void
}

/** What one phone in a call does that the others shall notice: keys, holding, asking to be replaced. */
export class PartyWatch {
  readonly #call: WatchedCall
  readonly #party: Party
  readonly #stopObserving: () => void
  #music: Playback[] = []

  constructor(call: WatchedCall, party: Party) {
    this.#call = call
    this.#party = party
    this.#stopObserving = party.leg.observe({
      dtmfSignalled: (digit) => call.attempt(() => this.#relay(digit)),
      held: () => call.attempt(() => this.playMusicIfHeld()),
      sound: (state) => call.attempt(() => call.reports.sound(party, state)),
      changed: () => call.books.changed(),
      transferAsked: (asked) => call.attempt(() => call.transferAsked(party, asked)),
    })
    void party.leg.ended.then(() => call.timeline.legEnded(party))
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

  #relay(digit: string): void {
    const { context, progress } = this.#call
    if (progress.state !== 'active' && progress.state !== 'consulting') return
    const { onFailure } = context
    for (const { leg } of this.#others()) void leg.audio.sendDtmf(digit).catch((error: unknown) => onFailure(error, this.#call.id))
  }

  /** The parties that it talks with. */
  #others(): Party[] {
    const { parties, progress } = this.#call
    if (progress.briefed) return [] // it is not connected with anybody yet
    const waiting = progress.consultation?.waiting
    return this.#party === waiting ? [] : parties.filter((other) => other !== this.#party && other !== waiting)
  }
}
