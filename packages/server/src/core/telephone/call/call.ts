import type { End } from '#core/kernel/ports/call-end.ts'
import { randomUUID } from 'node:crypto'
import { longestCallSeconds } from '#core/money/rating.ts'
import type { CallChange, CallFacts } from '#core/kernel/ports/call-observer.ts'
import type { Bridge, CallerIdentity, Cause, Leg, LegEnd, SoundState } from '#core/kernel/ports/telephony.ts'
import { Announcements } from './control/announce.ts'
import type { AssistantSeat } from './state/assistant-seat.ts'
import { Attendance } from './control/attendance.ts'
import { CallTimeline } from './books/call-timeline.ts'
import { CallView } from './control/call-view.ts'
import { next, type CallInput, type CallState } from './state/call-machine.ts'
import { closeBooks } from './books/close-books.ts'
import { endByLeg, Ending, serviceFailure } from './state/end.ts'
import { BackgroundWork } from '#core/kernel/work/background-work.ts'
import { Expenses } from './books/expenses.ts'
import type { Consulting, WishUnderWay } from './state/handing-over.ts'
import { noteSound } from './books/note-sound.ts'
import { OpenBooks } from './books/open-books.ts'
import type { CallParts } from './state/parts.ts'
import type { Party } from './state/party.ts'
import { Recordings } from './control/recordings.ts'
import { Story } from './state/story.ts'

/** `software`: the account's own keeps the caller busy until it knows who shall take the call. */
export type Taker = 'phone' | 'assistant' | 'voicemail' | 'software' | 'fax'

/** How a call began. */
export interface Beginning {
  /** Given when whoever ordered the call knows it by this name already. */
  id?: string
  from: CallerIdentity
  /** What was called. */
  to: string
  /** How often it was passed on before it came to us. */
  hops?: number
  /** As long as any call unless given. */
  longestSeconds?: number
}

/** One phone call while it lasts: who takes part, who pays, what is to be remembered. Ends once. */
export class Call {
  readonly id: string
  readonly parts: CallParts
  readonly from: CallerIdentity
  readonly to: string
  readonly hops: number
  readonly startedAt: number
  readonly story = new Story()
  readonly recordings: Recordings
  readonly attendance = new Attendance(this)
  readonly announcements = new Announcements(this)
  readonly expenses = new Expenses(this)
  readonly timeline = new CallTimeline(this)
  /** What others will need to end it if this process does not. */
  readonly books = new OpenBooks(this)
  /** Resolves when it is over and everything about it is paid and written down. */
  readonly written: Promise<void>
  /** Resolves when also every phone has heard that it is over, or cannot be told. */
  readonly closed: Promise<void>
  /** How often somebody in it was replaced. */
  transfers = 0
  /** The one who is being replaced. */
  leaving: Party | undefined
  /** What a user wants while somebody is being called for it. */
  wished: WishUnderWay | undefined
  /** A third one is being asked. */
  consultation: Consulting | undefined
  /** The account whose assistant or voicemail has the call. */
  host: string | undefined
  /** The assistant who has it. */
  assistant: AssistantSeat | undefined
  /** An assistant has it, or had it: a call is the session of one. */
  assisted = false
  /** The account for which somebody was called first and then somebody else; it is its call as long as the first one is in it. */
  ordered: { accountId: string; caller: Party } | undefined
  readonly #longestMs: number
  #state: CallState = 'dialing'
  #answeredAt: number | undefined
  #endedAt = 0
  #takenBy: Taker | undefined
  #bridge: Bridge | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #cancelTimer: () => void = () => {}
  readonly #ending = new Ending()
  readonly #duties = new BackgroundWork((error) => this.#report(error))
  readonly #farewells = new BackgroundWork((error) => this.#report(error))
  readonly #lastWork: (() => Promise<void>)[] = []

  constructor(parts: CallParts, { id = randomUUID(), from, to, hops = 0, longestSeconds = longestCallSeconds }: Beginning) {
    this.id = id
    this.parts = parts
    this.from = from
    this.to = to
    this.hops = hops
    this.#longestMs = Math.min(longestSeconds, longestCallSeconds) * 1000
    this.startedAt = parts.clock.now()
    this.recordings = new Recordings(this)
    this.written = this.#ending.over.then((end) => this.#close(end))
    this.closed = this.written.then(() => this.#farewells.done())
  }

  get state(): CallState {
    return this.#state
  }

  get answeredAt(): number | undefined {
    return this.#answeredAt
  }

  /** A phone, or somebody who has none. */
  get takenBy(): Taker | undefined {
    return this.#takenBy
  }

  get over(): Promise<End> {
    return this.#ending.over
  }

  get end(): End | undefined {
    return this.#ending.end
  }

  get parties(): readonly Party[] {
    return this.attendance.parties
  }

  get bridge(): Bridge {
    return (this.#bridge ??= this.parts.telephony.bridge())
  }

  /** The account is concerned from now on: its users see the call and can end it. */
  show(accountId: string): void {
    if (this.end) return
    const view = new CallView(this, accountId)
    this.parts.calls.enter(view)
    this.timeline.joined(view)
  }

  /** Whether somebody of the account is in it, or the account pays for somebody who is. */
  involves(accountId: string): boolean {
    return this.host === accountId || this.hasPhoneOf(accountId)
  }

  /** The same, but neither its assistant nor its voicemail counts. */
  hasPhoneOf(accountId: string): boolean {
    if (this.ordered?.accountId === accountId && this.attendance.has(this.ordered.caller)) return true
    return this.parties.some(({ desk, meter }) => [desk?.accountId, meter?.accountId].includes(accountId))
  }

  /** Whoever has nothing to do with the call any more neither sees nor records it. */
  hideUnlessInvolved(accountId: string): void {
    if (this.involves(accountId)) return
    this.parts.calls.hide(this.id, accountId)
    this.timeline.left(accountId)
    this.#duties.start(() => this.recordings.stop(accountId))
  }

  /** Takes part from now on; unless it is replaced, the call ends with it. One who cannot be taken in is not left alone. */
  admit(party: Party): void {
    if (this.end) return this.drop(party)
    try {
      this.attendance.enter(party)
    } catch (error) {
      this.drop(party, 'failed')
      throw error
    }
    this.expenses.heed(party)
    this.books.changed()
    void party.leg.ended.then((end) => this.#legEnded(party, end))
  }

  /** Leaves this call for another one. */
  surrender(party: Party): void {
    this.attendance.leave(party)
    this.isolate(party.leg)
    this.books.changed()
  }

  /** Hears nobody of the call any more. */
  isolate(leg: Leg): void {
    this.attempt(() => this.#bridge?.remove(leg))
    this.attempt(() => this.recordings.partiesChanged())
  }

  /** Leaves the call, which goes on; it is told and its money is settled. */
  release(party: Party): void {
    this.surrender(party)
    this.drop(party)
    const accountId = party.desk?.accountId
    if (accountId === undefined || this.involves(accountId)) return
    this.story.left(accountId, this.parts.clock.now())
    this.hideUnlessInvolved(accountId)
  }

  /** Hangs up a leg that does not, or not any more, belong to the call. */
  drop({ leg, meter }: Pick<Party, 'leg'> & Partial<Pick<Party, 'meter'>>, cause: Cause = 'normal'): void {
    this.#farewells.start(() => leg.hangUp(cause))
    if (meter) this.expenses.settle(meter)
  }

  /** False when this cannot happen now. */
  move(input: CallInput): boolean {
    const state = next(this.#state, input)
    if (state === undefined) return false
    this.#state = state
    if (state !== 'transferring') this.wished = undefined
    if (input === 'progress') this.tell('ringing')
    if (input === 'transferred') this.tell('transferred')
    return true
  }

  /** Somebody took it; from now on it can last for so long and no longer. */
  answered(by: Taker): void {
    this.#takenBy = by
    if (!this.move('answer')) return
    this.#answeredAt = this.parts.clock.now()
    this.attendance.answered()
    this.books.open()
    this.endIn(this.#longestMs, { by: 'service', reason: 'max_duration', cause: 'normal' })
    this.tell('answered')
  }

  /** To be done when the call is over, before it is written down. */
  atTheEnd(work: () => Promise<void>): void {
    this.#lastWork.push(work)
  }

  /** The call is not written down completely before this is over. */
  alongside(task: Promise<void>): void {
    this.#duties.start(() => task)
  }

  /** One after the other, however many ask at once. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  /** The first end is the true one. */
  finish(end: End): void {
    if (!this.#ending.set(end)) return
    this.#endedAt = this.parts.clock.now()
    this.timeline.ended(end)
    this.move('end')
    this.#cancelTimer()
    this.parts.calls.leave(this.id)
  }

  /** Unless it is over before, or something else is said meanwhile. */
  endIn(ms: number, end: End): void {
    this.#cancelTimer()
    this.#cancelTimer = this.parts.clock.after(ms, () => this.finish(end))
  }

  fail(error: unknown): void {
    this.#report(error)
    this.finish(serviceFailure)
  }

  tell(what: CallChange): void {
    const facts = this.#facts()
    if (what !== 'started' && what !== 'ended') this.timeline.note(what)
    for (const observer of this.parts.observers) this.attempt(() => observer.changed(facts, what))
  }

  sounds({ desk, role }: Party, state: SoundState): void {
    this.timeline.sound(state, role, desk)
    if (desk) noteSound(this.parts, this.id, desk, state)
    for (const observer of this.parts.observers)
      this.attempt(() => observer.sound?.(this.id, state, desk && { accountId: desk.accountId, deviceId: desk.deviceId }))
  }

  /** For what may fail without any harm to the call. */
  attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#report(error)
    }
  }

  /** For what must not fail: who cannot be connected as they should is not left alone. */
  must<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.fail(error)
      return undefined
    }
  }

  #facts(): CallFacts {
    const { id: callId, to, startedAt, answeredAt, end } = this
    const { number, withheld } = this.from
    const accountIds = this.story.sides.map(({ accountId }) => accountId)
    return { callId, accountIds, from: withheld ? undefined : number, to, startedAt, answeredAt, end }
  }

  #legEnded(party: Party, end: LegEnd): void {
    if (!this.attendance.has(party)) return
    // Who asked to be replaced may leave before it is known whether that works.
    if (this.#state === 'transferring' && this.leaving === party) this.release(party)
    else if (this.#state === 'consulting' && this.consultation) this.consultation.left(party)
    else this.finish(endByLeg(party.role, end))
  }

  #report(error: unknown): void {
    this.parts.onFailure(error, this.id)
  }

  async #close(end: End): Promise<void> {
    const { parties } = this
    const meters = this.expenses.open
    this.expenses.abandon()
    for (const party of parties) {
      party.meter?.stop()
      this.#farewells.start(() => party.leg.hangUp(end.cause))
      this.attendance.leave(party)
    }
    for (const work of [...this.#lastWork, () => this.recordings.stopAll()]) await work().catch((error: unknown) => this.#report(error))
    this.attempt(() => this.#bridge?.close())
    const { id: callId, startedAt, story } = this
    const finished = { callId, startedAt, endedAt: this.#endedAt, end, sides: story.sides, meters, books: this.books }
    await closeBooks(this.parts, finished).catch((error: unknown) => this.#report(error))
    this.parts.leases.release(`call ${callId}`)
    if (story.sides.some(({ followed }) => followed.length > 0)) this.parts.wake()
    this.tell('ended')
    this.timeline.close()
    await this.#duties.done()
  }
}
