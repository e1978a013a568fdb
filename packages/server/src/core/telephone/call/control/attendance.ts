import type { CallContext } from '../state/call-context.ts'
import type { Party } from '../state/party.ts'
import type { Playback, SoundState } from '#core/kernel/ports/audio.ts'
import type { TransferAsked } from '#core/kernel/ports/telephony.ts'
import type { CallTimeline } from '../records/call-timeline.ts'
import type { CallProgress } from '../state/call-progress.ts'
import type { CallLife } from '../state/call-life.ts'
import type { CallDetails } from '../state/call-details.ts'
import { hostOf } from '../state/assistant-party.ts'
import type { Calls, RunningCall } from '../state/calls.ts'
import type { Recordings } from './recordings.ts'

interface AttendanceDeps extends WatchDeps {
  readonly context: Pick<CallContext, 'occupancy' | 'clock' | 'onFailure'>
  readonly recordings: { partiesChanged(): void }
}

interface AttendingParty {
  watch: PartyWatch
  /** Account that originated the call for this party, if any. */
  orderedBy: string | undefined
}

/** Current parties of a call. Watches each party and marks its phone as busy. */
export class Attendance {
  readonly #deps: AttendanceDeps
  readonly #attending = new Map<Party, AttendingParty>()

  constructor(deps: AttendanceDeps) {
    this.#deps = deps
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
    this.#attending.set(party, { watch: new PartyWatch(this.#deps, party, () => this.parties), orderedBy })
    const answered = party.leg.answered || this.#deps.life.answeredAt !== undefined
    if (party.station) this.#deps.context.occupancy.enter(party.station, party, answered)
    this.#deps.life.attempt(() => this.#deps.recordings.partiesChanged())
  }

  leave(party: Party): void {
    const watch = this.#attending.get(party)?.watch
    this.#deps.life.attempt(() => watch?.stop())
    if (!this.#attending.delete(party)) return
    const { occupancy, clock } = this.#deps.context
    if (party.station) occupancy.leave(party.station, party, clock.now())
    this.#deps.life.attempt(() => this.#deps.recordings.partiesChanged())
  }

  answered(): void {
    for (const party of this.#attending.keys()) if (party.station) this.#deps.context.occupancy.answered(party.station, party)
  }

  /** Stops the hold music of all parties. */
  silence(): void {
    for (const { watch } of this.#attending.values()) this.#deps.life.attempt(() => watch.stopMusic())
  }

  /** Restarts hold music for held parties. */
  unmute(): void {
    for (const { watch } of this.#attending.values()) this.#deps.life.attempt(() => watch.playMusicIfHeld())
  }
}

interface WatchDeps {
  readonly life: CallLife
  readonly context: Pick<CallContext, 'onFailure'>
  readonly progress: Pick<CallProgress, 'state' | 'consultation' | 'briefed'>
  readonly books: { changed(): void }
  readonly reports: { sound(party: Party, state: SoundState): void }
  readonly timeline: Pick<CallTimeline, 'legEnded'>
  readonly onTransferAsked: (party: Party, asked: TransferAsked) => void
}

/** Watches one phone in a call for DTMF, hold and transfer requests, and applies them to the other parties. */
class PartyWatch {
  readonly #deps: WatchDeps
  readonly #party: Party
  readonly #parties: () => readonly Party[]
  readonly #stopObserving: () => void
  #music: Playback[] = []

  constructor(deps: WatchDeps, party: Party, parties: () => readonly Party[]) {
    const { life, reports, books, timeline } = deps
    this.#deps = deps
    this.#parties = parties
    this.#party = party
    this.#stopObserving = party.leg.observe({
      dtmfSignalled: (digit) => life.attempt(() => this.#relay(digit)),
      held: () => life.attempt(() => this.playMusicIfHeld()),
      sound: (state) => life.attempt(() => reports.sound(party, state)),
      changed: () => books.changed(),
      transferAsked: (asked) => life.attempt(() => deps.onTransferAsked(party, asked)),
    })
    void party.leg.ended.then(() => timeline.legEnded(party))
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
    const { context, progress, life } = this.#deps
    if (progress.state !== 'active' && progress.state !== 'consulting') return
    const { onFailure } = context
    for (const { leg } of this.#others()) void leg.audio.sendDtmf(digit).catch((error: unknown) => onFailure(error, life.id))
  }

  /** Parties it is connected with. */
  #others(): Party[] {
    const { progress } = this.#deps
    if (progress.briefed) return [] // not connected to anyone yet
    const waiting = progress.consultation?.waiting
    return this.#party === waiting ? [] : this.#parties().filter((other) => other !== this.#party && other !== waiting)
  }
}

interface CallAccountsDeps {
  readonly life: CallLife
  readonly calls: Calls
  readonly details: Pick<CallDetails, 'sides'>
  readonly attendance: Pick<Attendance, 'parties' | 'orderedBy'>
  readonly recordings: Pick<Recordings, 'stop'>
  readonly timeline: Pick<CallTimeline, 'joined' | 'resume' | 'left'>
  /** The call as this account sees and controls it. */
  readonly viewOf: (accountId: string) => RunningCall
}

/** Accounts involved in a call; each can see and control it while involved. */
export class CallAccounts {
  readonly #deps: CallAccountsDeps

  constructor(deps: CallAccountsDeps) {
    this.#deps = deps
  }

  /** Makes the call visible to the account's users, who can then end it. */
  show(accountId: string): void {
    const { life, calls, timeline, viewOf } = this.#deps
    if (life.end) return
    const view = viewOf(accountId)
    calls.enter(view)
    timeline.joined(view)
  }

  /** Restores the views of involved accounts after a takeover, including the call ids their software knows. */
  resume(): void {
    const { life, calls, details, timeline, viewOf } = this.#deps
    for (const { accountId, followed } of details.sides) {
      if (!this.involves(accountId)) continue
      const view = viewOf(accountId)
      calls.enter(view)
      timeline.resume(view)
      for (const { call } of followed) if (call.callId !== life.id) calls.alias(life.id, accountId, call.callId)
    }
  }

  /** True if a party, the assistant or the voicemail of the account is in the call, or the account pays for a party. */
  involves(accountId: string): boolean {
    return hostOf(this.#deps.life.callHandler) === accountId || this.hasPhoneOf(accountId)
  }

  /** Like `involves`, without assistant and voicemail. */
  hasPhoneOf(accountId: string): boolean {
    const { attendance } = this.#deps
    return attendance.parties.some((party) =>
      [party.station?.accountId, party.meter?.accountId, attendance.orderedBy(party)].includes(accountId),
    )
  }

  /** Hides the call from an account that is no longer involved, and stops its recording. */
  hideUnlessInvolved(accountId: string): void {
    if (this.involves(accountId)) return
    const { life, calls, timeline, recordings } = this.#deps
    calls.hide(life.id, accountId)
    timeline.left(accountId)
    life.track(Promise.resolve().then(() => recordings.stop(accountId)))
  }
}
