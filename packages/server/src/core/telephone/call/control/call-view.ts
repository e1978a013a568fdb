import { atMost } from '#core/kernel/work/waiting.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { WavSound } from '#core/kernel/ports/audio.ts'
import type { CallTimeline } from '../records/call-timeline.ts'
import type { CallProgress } from '../state/call-progress.ts'
import type { CallContext } from '../state/call-context.ts'
import type { CallLife } from '../state/call-life.ts'
import type { CallDetails, Side } from '../state/call-details.ts'
import { type AssistantParty, assistantOf, hostOf } from '../state/assistant-party.ts'
import type { AnnouncedCall, Announcements } from './announce.ts'
import type { Attendance } from './attendance.ts'
import type { Recordings } from './recordings.ts'
import type { CallStatus, Participant, RunningCall } from '../state/calls.ts'
import type { Consulting, TransferRequest } from '../state/transfer-request.ts'
import type { Party } from '../state/party.ts'

/** Milliseconds a command waits for earlier commands. */
const maxWaitMs = 15_000
/** Limits the wait for a phone that no longer responds. */
const maxHangUpMs = 5_000

interface ControlledCall extends AnnouncedCall, Pick<CallLife, 'id' | 'end' | 'over' | 'finish'> {
  readonly context: Pick<CallContext, 'clock'>
  readonly progress: Pick<CallProgress, 'state' | 'consultation' | 'briefed'>
  readonly details: Pick<CallDetails, 'sides'>
  readonly recordings: Pick<Recordings, 'isRunning' | 'isPaused' | 'pause' | 'permit' | 'start' | 'stop'>
  readonly announcements: Pick<Announcements, 'add'>
  readonly timeline: Pick<CallTimeline, 'note'>
  readonly attendance: Pick<Attendance, 'orderedBy'>
  readonly accounts: { involves(accountId: string): boolean }
  readonly books: { changed(): void }
  readonly closed: Promise<void>
  inTurn<T>(work: () => Promise<T>): Promise<T>
  transfer(input: TransferRequest): Promise<void>
}

/** A call as one of its accounts sees and controls it. */
export class CallView implements RunningCall {
  readonly callId: string
  readonly accountId: string
  readonly #call: ControlledCall
  /** Owner of the calling or called extension, even if a colleague answered there. */
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

  get extensions(): string[] {
    return [...(this.#side?.connections ?? [])]
  }

  get #concerned(): string | undefined {
    return this.#side?.userId
  }

  get #side(): Side | undefined {
    return this.#call.details.sides.find(({ accountId }) => accountId === this.accountId)
  }

  /** False for an account that is only ringing as a transfer target. */
  get established(): boolean {
    return this.#underWay && this.#call.accounts.involves(this.accountId)
  }

  /** Voicemail, fax and webhook-controlled calls have no second party and do not count as established. */
  get #underWay(): boolean {
    const { progress, callHandler } = this.#call
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
      ...(recordings.isPaused(this.accountId) && { recordingPaused: true }),
      hold: this.#held(),
      participants,
    }
  }

  /** Plays hold music to all parties until resumed. Resuming during a consultation reconnects the original two parties. */
  hold(value: boolean): Promise<void> {
    return this.#command(async () => {
      const { consultation } = this.#call.progress
      if (consultation) await this.#endConsultation(consultation, value)
      await holdAll(this.#call, value, (party) => this.#nameOf(party))
      this.#call.books.changed()
      this.#call.timeline.note(value ? 'held' : 'retrieved')
    })
  }

  /** Mutes the microphones of the account's phones, or its assistant's voice. */
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

  /** Does not block other commands while consent is requested. */
  async record(value: boolean, options: { announcement: boolean }): Promise<void> {
    const { recordings } = this.#call
    if (!value) return this.#command(() => recordings.stop(this.accountId))
    await this.#command(() => Promise.resolve())
    if (!recordings.isRunning(this.accountId)) await recordings.permit(this.accountId)
    return this.#command(() => recordings.start(this.accountId, options))
  }

  pauseRecording(value: boolean): Promise<void> {
    const { recordings } = this.#call
    return this.#command(async () => {
      if (!recordings.isRunning(this.accountId)) throw new Problem('conflict', 'The call is not being recorded. Start the recording first.')
      recordings.pause(this.accountId, value)
    })
  }

  /** Sends to every phone, including held ones. */
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

  /** A consulted account only ends its own leg; the other parties stay connected. */
  #hangUp(): Promise<void> {
    const [phone, ...others] = this.#own()
    if (this.#isGuest && phone && others.length === 0) return phone.leg.hangUp('normal')
    this.#call.finish({ by: 'api', reason: 'api_hangup', cause: 'normal' })
    return this.#call.closed
  }

  /** True if another account consults this one, or another account's assistant offers it the caller. */
  get #isGuest(): boolean {
    const { progress, callHandler } = this.#call
    const { state, consultation, briefed } = progress
    if (briefed) return hostOf(callHandler) !== this.accountId && this.#owns(briefed)
    return state === 'consulting' && consultation?.accountId !== this.accountId
  }

  /** Serialises commands; a command never starts after its request was rejected as late. */
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

  /** Only the account that started the consultation can end it. */
  async #endConsultation(consultation: Consulting, hold: boolean): Promise<void> {
    if (consultation.accountId !== this.accountId) throw new Problem('call_not_in_state')
    if (!hold) await consultation.callOff()()
  }

  /** Requires a phone that has not put the call on hold: media must not be sent to one that has. */
  #demandListener(): void {
    const { parties } = this.#call
    if (parties.every(({ leg }) => leg.heldByPeer)) throw new Problem('conflict', 'Every phone in this call has put it on hold.')
  }

  /** The account may have left the call after the user looked it up. */
  #demandPart(): void {
    if (!this.#call.accounts.involves(this.accountId)) throw new Problem('call_not_found')
  }

  /** True for the account's phone, or for an external party it originated the call for. */
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

  /** A leg with hold music counts as held, including remote hold. */
  #participant(party: Party): Participant {
    const { id, muted, held, hearsMusic } = party
    const hold = held || hearsMusic || this.#heldByOther(party)
    return { participantId: id, phoneNumber: this.#numberOf(party), muted, hold, owner: this.#owns(party) }
  }

  /** A party waiting during a transfer or consultation does not hear the music of a holding phone. */
  #heldByOther(party: Party): boolean {
    const { parties, progress } = this.#call
    const { state, consultation } = progress
    const apart = (one: Party): boolean => one === consultation?.waiting
    if (state === 'transferring' || apart(party)) return false
    return parties.some((other) => other !== party && !apart(other) && other.leg.heldByPeer)
  }

  #ownAssistant(): AssistantParty | undefined {
    const assistant = assistantOf(this.#call.callHandler)
    return assistant?.accountId === this.accountId ? assistant : undefined
  }

  #assistant(): Participant[] {
    const { callHandler, parties } = this.#call
    const assistant = assistantOf(callHandler)
    if (!assistant) return []
    const { id, number, muted, accountId } = assistant
    const hold = parties.some(({ held, leg }) => held || leg.heldByPeer)
    return [{ participantId: id, phoneNumber: number, muted, hold, owner: accountId === this.accountId }]
  }

  /** Shows the dialled number, not the forwarding target of another account. Extensions are not phone numbers. */
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

/** Milliseconds a phone may take to agree: enough for a retry after glare (RFC 3261 §14.1). */
const maxAnswerMs = 8_000

/** Holds or resumes all parties once all phones have agreed. If one rejects, restores the previous state; `named` names that phone in the error. */
const holdAll = async (call: ControlledCall, value: boolean, named: (party: Party) => string): Promise<void> => {
  const asked = call.parties.filter(({ held }) => held !== value)
  const answers = await Promise.all(asked.map(async (party) => ({ party, agreed: await ask(call, party, value) })))
  if (call.end) throw new Problem('call_not_in_state')
  const refusing = answers.find(({ agreed }) => !agreed)
  if (!refusing) {
    assistantOf(call.callHandler)?.wait('hold', value)
    return
  }
  await Promise.all(answers.filter(({ agreed }) => agreed).map(({ party }) => ask(call, party, !value)))
  throw new Problem('conflict', `${named(refusing.party)} did not agree to be ${value ? 'put on hold' : 'taken up again'}.`)
}

const ask = async (call: ControlledCall, party: Party, value: boolean): Promise<boolean> => {
  const answered = party.leg.hold(value).then(
    () => true,
    () => false,
  )
  const agreed = await atMost(call.context.clock, maxAnswerMs, Promise.race([answered, call.over.then(() => false)]), 'late')
  if (agreed === true) party.held = value
  // Reverts a late agreement.
  if (agreed === 'late') party.leg.hold(!value).catch(() => {})
  return agreed === true
}
