import { atMost } from '#core/kernel/work/at-most.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { WavSound } from '#core/kernel/ports/telephony.ts'
import type { CallTimeline } from '../records/call-timeline.ts'
import type { CallProgress } from '../state/call-progress.ts'
import type { OngoingCall } from '../state/ongoing-call.ts'
import type { CallDetails } from '../state/call-details.ts'
import type { AssistantParty } from '../state/assistant-party.ts'
import { assistantOf, hostOf } from '../state/taker.ts'
import type { AnnouncedCall, Announcements } from './announce.ts'
import type { Attendance } from './attendance.ts'
import type { Recordings } from './recordings.ts'
import type { CallStatus, Participant, RunningCall } from '../state/calls.ts'
import type { Consulting, TransferRequest } from '../state/transfer-wish.ts'
import { holdAll } from './hold-call.ts'
import type { Party } from '../state/party.ts'

/** How long a command waits for those before it. */
const maxWaitMs = 15_000
/** A phone that does not answer any more need not be waited for. */
const maxHangUpMs = 5_000

/** A call that an account can see and control. */
export interface ControlledCall extends AnnouncedCall, Pick<OngoingCall, 'id' | 'finish'> {
  readonly progress: Pick<CallProgress, 'state' | 'consultation' | 'briefed'>
  readonly details: Pick<CallDetails, 'sides'>
  readonly recordings: Pick<Recordings, 'isRunning' | 'start' | 'stop'>
  readonly announcements: Pick<Announcements, 'add'>
  readonly timeline: Pick<CallTimeline, 'note'>
  readonly attendance: Pick<Attendance, 'orderedBy'>
  readonly accounts: { involves(accountId: string): boolean }
  readonly books: { changed(): void }
  readonly closed: Promise<void>
  inTurn<T>(work: () => Promise<T>): Promise<T>
  transfer(input: TransferRequest): Promise<void>
}

/** A call as one of the accounts in it sees and controls it. */
export class CallView implements RunningCall {
  readonly callId: string
  readonly accountId: string
  readonly #call: ControlledCall
  /** Whose extension was called, or called; also when a colleague took it there. */
  readonly #owner: string | undefined

  constructor(call: ControlledCall, accountId: string) {
    this.callId = call.id
    this.accountId = accountId
    this.#call = call
    this.#owner = this.#concerned
  }

  get userIds(): string[] {
    const users = this.#own().map(({ station }) => station?.userId)
    return [...users, this.#concerned, this.#owner].filter((userId) => userId !== undefined)
  }

  get #concerned(): string | undefined {
    return this.#call.details.sides.find(({ accountId }) => accountId === this.accountId)?.userId
  }

  /** Not for an account at which it only rings, because a party wants to be replaced by one of its users. */
  get established(): boolean {
    return this.#underWay && this.#call.accounts.involves(this.accountId)
  }

  /** A caller who speaks to a voicemail, sends a fax, or presses keys for the account's software has no other party: that is no call in this sense. */
  get #underWay(): boolean {
    const { progress, taker: callHandler } = this.#call
    const { state } = progress
    const alone = callHandler?.kind === 'voicemail' || callHandler?.kind === 'fax' || callHandler?.kind === 'software'
    return !alone && (state === 'active' || state === 'transferring' || state === 'consulting')
  }

  status(): CallStatus {
    const { parties, recordings } = this.#call
    const participants = [...parties.map((party) => this.#participant(party)), ...this.#assistant()]
    const own = participants.filter(({ owner }) => owner)
    return {
      callId: this.callId,
      muted: own.length > 0 && own.every(({ muted }) => muted),
      recording: recordings.isRunning(this.accountId),
      hold: this.#held(),
      participants,
    }
  }

  /** All parties hear music until the call is retrieved. Retrieved during a consultation, the two parties of before talk. */
  hold(value: boolean): Promise<void> {
    return this.#command(async () => {
      const { consultation } = this.#call.progress
      if (consultation) await this.#endConsultation(consultation, value)
      await holdAll(this.#call, value, (party) => this.#nameOf(party))
      this.#call.books.changed()
      this.#call.timeline.note(value ? 'held' : 'retrieved')
    })
  }

  /** The microphones of the account's own phones, or its assistant's voice. */
  mute(value: boolean): Promise<void> {
    return this.#command(async () => {
      const own = this.#own()
      const assistant = this.#ownAssistant()
      if (value && own.length === 0 && !assistant) throw new Problem('conflict', 'Nobody of the account is talking in this call.')
      for (const party of own) {
        party.leg.audio.mute(value)
        party.muted = value
      }
      assistant?.mute(value)
      this.#call.books.changed()
      this.#call.timeline.note(value ? 'muted' : 'unmuted', this.accountId)
    })
  }

  record(value: boolean, options: { announcement: boolean }): Promise<void> {
    const { recordings } = this.#call
    return this.#command(() => (value ? recordings.start(this.accountId, options) : recordings.stop(this.accountId)))
  }

  /** Every phone gets it, also one that is on hold. */
  sendDtmf(sequence: string): Promise<void> {
    return this.#command(async () => {
      this.#demandListener()
      await Promise.all(this.#call.parties.map(({ leg }) => leg.audio.sendDtmf(sequence)))
      if (this.#call.end) throw new Problem('call_not_in_state')
    })
  }

  transfer(input: Omit<TransferRequest, 'accountId'>): Promise<void> {
    return this.#call.transfer({ ...input, accountId: this.accountId })
  }

  announce(fetch: () => Promise<WavSound>): Promise<void> {
    return this.#call.announcements.add(fetch, (work) =>
      this.#command(() => {
        this.#demandListener()
        return work()
      }),
    )
  }

  async hangUp(): Promise<void> {
    if (this.#underWay) this.#demandPart()
    await atMost(this.#call.context.clock, maxHangUpMs, this.#hangUp(), undefined)
  }

  /** An account that is only asked whether it takes over ends its own part only: the others go on. */
  #hangUp(): Promise<void> {
    const [phone, ...others] = this.#own()
    if (this.#isGuest && phone && others.length === 0) return phone.leg.hangUp('normal')
    this.#call.finish({ by: 'api', reason: 'api_hangup', cause: 'normal' })
    return this.#call.closed
  }

  /** Another account consults it, or another account's assistant offers it the caller. */
  get #isGuest(): boolean {
    const { progress, taker: callHandler } = this.#call
    const { state, consultation, briefed } = progress
    if (briefed) return hostOf(callHandler) !== this.accountId && this.#owns(briefed)
    return state === 'consulting' && consultation?.accountId !== this.accountId
  }

  /** One after the other; none is begun after its request was told that it takes too long. */
  #command<T>(work: () => Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const tooLate = new Problem('conflict', 'Another command has kept this call busy for too long.')
    const cancelTimer = this.#call.context.clock.after(maxWaitMs, () => reject(tooLate))
    const done = this.#call.inTurn(async () => {
      await Promise.race([late, Promise.resolve()])
      cancelTimer()
      const { state } = this.#call.progress
      if (state !== 'active' && state !== 'consulting') throw new Problem('call_not_in_state')
      this.#demandPart()
      return work()
    })
    return Promise.race([done, late])
  }

  /** Only the account that began it can end it. */
  async #endConsultation(consultation: Consulting, hold: boolean): Promise<void> {
    if (consultation.accountId !== this.accountId) throw new Problem('call_not_in_state')
    if (!hold) await consultation.callOff()()
  }

  /** To a phone that holds the call itself nothing may be sent. */
  #demandListener(): void {
    const { parties } = this.#call
    if (parties.every(({ leg }) => leg.heldByPeer)) throw new Problem('conflict', 'Every phone in this call has put it on hold.')
  }

  /** The account may have left the call after one of its users found it. */
  #demandPart(): void {
    if (!this.#call.accounts.involves(this.accountId)) throw new Problem('call_not_found')
  }

  /** Its phone, or the party in another network for which it ordered the call. */
  #owns(party: Party): boolean {
    const accountId = party.station ? party.station.accountId : this.#call.attendance.orderedBy(party)
    return accountId === this.accountId
  }

  #own(): Party[] {
    return this.#call.parties.filter((party) => this.#owns(party))
  }

  #held(): boolean {
    return this.#call.parties.every(({ held }) => held)
  }

  /** Who hears music is on hold, also when the phone at the other end wants it so. */
  #participant(party: Party): Participant {
    const { id, muted, held, hearsMusic } = party
    const hold = held || hearsMusic || this.#heldByOther(party)
    return { participantId: id, phoneNumber: this.#numberOf(party), muted, hold, owner: this.#owns(party) }
  }

  /** A party that waits during a transfer or a consultation does not hear the music of a phone that holds. */
  #heldByOther(party: Party): boolean {
    const { parties, progress } = this.#call
    const { state, consultation } = progress
    const apart = (one: Party): boolean => one === consultation?.waiting
    if (state === 'transferring' || apart(party)) return false
    return parties.some((other) => other !== party && !apart(other) && other.leg.heldByPeer)
  }

  #ownAssistant(): AssistantParty | undefined {
    const assistant = assistantOf(this.#call.taker)
    return assistant?.accountId === this.accountId ? assistant : undefined
  }

  #assistant(): Participant[] {
    const { taker: callHandler, parties } = this.#call
    const assistant = assistantOf(callHandler)
    if (!assistant) return []
    const { id, number, muted, accountId } = assistant
    const hold = parties.some(({ held, leg }) => held || leg.heldByPeer)
    return [{ participantId: id, phoneNumber: number, muted, hold, owner: accountId === this.accountId }]
  }

  /** Where others forwarded the call to is not this account's business: it knows what it called. Extensions are no phone numbers. */
  #numberOf(party: Party): string {
    const { identity, meter, calledAs } = party
    const own = this.#owns(party)
    if (identity.withheld && !own) return ''
    const known = own || meter?.accountId === this.accountId ? identity.number : (calledAs ?? identity.number)
    return known !== undefined && /^\+?\d+$/.test(known) ? known : ''
  }

  #nameOf(party: Party): string {
    const number = this.#numberOf(party)
    return number === '' ? 'A phone in this call' : `The phone ${number}`
  }
}
