import type { CallFacts, End } from '#core/kernel/ports/calls.ts'
import { randomUUID } from 'node:crypto'
import { maxCallSeconds } from '#core/money/rating.ts'
import type { Bridge, CallerIdentity, Cause, EdgeAttempt, Leg, LegEnd, TransferAsked } from '#core/kernel/ports/telephony.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import { announce, Announcements, type Announce } from './control/announce.ts'
import { CallView } from './control/call-view.ts'
import { Attendance, CallAccounts } from './control/attendance.ts'
import { CallTimeline, CallReports } from './records/call-timeline.ts'
import { type CallInput, CallProgress } from './state/call-progress.ts'
import { settleCall } from './records/settle-call.ts'
import { snapshotOf } from './records/snapshot.ts'
import { CallLife } from './state/call-life.ts'
import { endByLeg } from './state/end.ts'
import { BackgroundWork } from '#core/kernel/work/background-work.ts'
import { CallCharges } from './records/expenses.ts'
import type { TransferRequest } from './state/transfer-request.ts'
import { RunningCallRecord } from './records/running-call-record.ts'
import type { CallHold, CallSnapshot, RunningRecording } from '#core/kernel/ports/store/call.ts'
import type { CallBefore, CallContext, CallOptions } from './state/call-context.ts'
import type { Party } from './state/party.ts'
import { Recordings } from './control/recordings.ts'
import { CallDetails, type OutgoingSide } from './state/call-details.ts'
import { AssistantTrail } from './state/assistant-trail.ts'
import { assistantOf, type IncomingCallHandler } from './state/assistant-party.ts'

/** Call context plus the transfer handlers. */
export interface TransferringContext extends CallContext {
  /** Called when a phone in the call requests a transfer. Must not throw. */
  onTransferAsked: (call: Call, party: Party, asked: TransferAsked) => void
  /** Transfers on a user's request. Resolves when the new party rings or answers; throws a Problem when neither happens. */
  transfer: (call: Call, input: TransferRequest) => Promise<void>
}

/** A running call: its parties, cost and records. Ends exactly once. */
export class Call {
  readonly id: string
  readonly context: TransferringContext
  readonly from: CallerIdentity
  readonly to: string
  readonly hops: number
  readonly startedAt: number
  readonly trace: IncomingTrace | undefined
  readonly edgeAttempt: EdgeAttempt | undefined
  readonly longestMs: number
  readonly details: CallDetails
  readonly progress = new CallProgress((input) => this.#moved(input))
  readonly life: CallLife
  readonly timeline: CallTimeline
  readonly expenses: CallCharges
  /** Record that lets another node end the call if this one fails. */
  readonly books: RunningCallRecord
  readonly announcements: Announcements
  readonly recordings: Recordings
  readonly reports: CallReports
  readonly assistants = new AssistantTrail()
  readonly attendance: Attendance
  readonly accounts: CallAccounts
  /** Resolves when the call has ended, is settled and its records are written. */
  readonly written: Promise<void>
  /** Resolves when, in addition, every phone got its hang-up or is unreachable. */
  readonly closed: Promise<void>
  /** Codecs of the parties at the end of the call. */
  #codecs: readonly string[] | undefined
  /** A hand-over to another node is in progress. */
  #handing = false
  #bridge: Bridge | undefined
  #turn: Promise<unknown> = Promise.resolve()
  readonly #hangUps = new BackgroundWork((error) => this.life.report(error))
  readonly #lastWork: (() => Promise<void>)[] = []

  constructor(
    context: TransferringContext,
    { id = randomUUID(), from, to, hops = 0, maxSeconds = maxCallSeconds, startedAt, trace, attempt }: CallOptions,
  ) {
    const { clock, leases, calls, timelines, onFailure } = context
    const { progress } = this
    const details = new CallDetails(attempt?.edgeCall)
    this.details = details
    this.edgeAttempt = attempt
    this.id = id
    this.context = context
    this.from = from
    this.to = to
    this.hops = hops
    this.longestMs = Math.min(maxSeconds, maxCallSeconds) * 1000
    this.startedAt = startedAt ?? clock.now()
    this.trace = trace
    const parties = (): readonly Party[] => this.parties
    const announceHere: Announce = (sound, options) => announce(this, sound, options)
    const stillOurs = (): Promise<boolean> | undefined => (leases.shared && this.books.written ? this.books.stillOurs() : undefined)
    const life = new CallLife({ id, clock, onFailure, stillOurs, onEnd: (end) => this.#ended(end) })
    const timeline = new CallTimeline({ timelines, details, from, to })
    const expenses = new CallCharges({ life, writer: context, parties, isOurs: (tables) => this.books.isOurs(tables) })
    const snapshot = (recordings: readonly RunningRecording[], unknown?: object): CallSnapshot => snapshotOf(this, recordings, unknown)
    const books = new RunningCallRecord({ life, startedAt: this.startedAt, context, details, expenses, snapshot })
    const bridge = (): Bridge => this.bridge
    const recordings = new Recordings({ life, context, bridge, books, progress, timeline, details, parties, announce: announceHere })
    const reports = new CallReports({ life, context, timeline, facts: () => this.#facts() })
    const onTransferAsked = (party: Party, asked: TransferAsked): void => context.onTransferAsked(this, party, asked)
    const attendance = new Attendance({ life, context, progress, books, reports, timeline, recordings, onTransferAsked })
    const viewOf = (accountId: string): CallView => new CallView(this, accountId)
    this.life = life
    this.timeline = timeline
    this.expenses = expenses
    this.books = books
    this.recordings = recordings
    this.reports = reports
    this.attendance = attendance
    this.accounts = new CallAccounts({ life, calls, details, attendance, recordings, timeline, viewOf })
    this.announcements = new Announcements({ life, clock, announce: announceHere })
    this.written = life.over.then((end) => this.#close(end))
    this.closed = this.written.then(() => this.#hangUps.done())
  }

  get answeredAt(): number | undefined {
    return this.life.answeredAt
  }

  get endedAt(): number | undefined {
    return this.life.endedAt
  }

  /** Codecs in use. */
  get codecs(): readonly string[] {
    return this.#codecs ?? this.parties.map(({ leg }) => leg.codec).filter((codec) => codec !== undefined)
  }

  get callHandler(): IncomingCallHandler | undefined {
    return this.life.callHandler
  }

  get over(): Promise<End> {
    return this.life.over
  }

  get end(): End | undefined {
    return this.life.end
  }

  get parties(): readonly Party[] {
    return this.attendance.parties
  }

  get bridge(): Bridge {
    return (this.#bridge ??= this.context.telephony.bridge())
  }

  /** `outgoing`: set when a phone or an assistant of this account is the caller. */
  started(outgoing?: OutgoingSide): void {
    if (outgoing) {
      this.details.outgoing(outgoing)
      this.accounts.show(outgoing.accountId)
    }
    this.reports.changed('started')
  }

  /** Adds the party; the call ends when it leaves, unless it is replaced. Hangs up a party that cannot be added. */
  admit(party: Party, { orderedBy }: { orderedBy?: string } = {}): void {
    if (this.end) return this.drop(party)
    try {
      this.attendance.enter(party, orderedBy)
    } catch (error) {
      this.drop(party, 'failed')
      throw error
    }
    this.expenses.heed(party)
    this.books.changed()
    void party.leg.ended.then((end) => this.#legEnded(party, end))
  }

  /** Moves the party out, to join another call. */
  handOff(party: Party): void {
    this.attendance.leave(party)
    this.isolate(party.leg)
    this.books.changed()
  }

  /** Removes the leg from the bridge. */
  isolate(leg: Leg): void {
    this.attempt(() => this.#bridge?.remove(leg))
    this.attempt(() => this.recordings.partiesChanged())
  }

  /** Removes the party, hangs it up and settles its charge; the call continues. */
  release(party: Party): void {
    this.handOff(party)
    this.drop(party)
    const accountId = party.station?.accountId
    if (accountId === undefined || this.accounts.involves(accountId)) return
    this.details.left(accountId, this.context.clock.now())
    this.accounts.hideUnlessInvolved(accountId)
  }

  /** Hangs up a leg that is not, or no longer, part of the call. */
  drop({ leg, meter }: Pick<Party, 'leg'> & Partial<Pick<Party, 'meter'>>, cause: Cause = 'normal'): void {
    this.#hangUps.start(() => leg.hangUp(cause))
    if (meter) this.expenses.settle(meter)
  }

  /** Marks the call as answered; the maximum duration counts from here. */
  answered(callHandler: IncomingCallHandler): void {
    this.life.handledBy(callHandler)
    this.assistants.answered(callHandler)
    this.attempt(() => this.recordings.partiesChanged())
    if (!this.progress.answer()) return
    this.life.answeredAt = this.context.clock.now()
    this.attendance.answered()
    this.books.open()
    this.#limit()
    this.reports.changed('answered')
  }

  /** Prepares the hand-over to another node, which asks the phones to follow. Returns the call's hold, or undefined when no other node can resume the call now. */
  async beginHandOver(): Promise<CallHold | undefined> {
    if (this.#handing || this.end) return undefined
    this.#handing = true
    await assistantOf(this.callHandler)?.quiet()
    const hold = await this.books.freeze()
    if (!hold) this.#handing = false
    return hold
  }

  /** Cancels the hand-over. */
  keep(): void {
    this.#handing = false
    this.books.thaw()
  }

  /** Resumes a call from another node with its state and its original timestamps. */
  resume(before: CallBefore): void {
    const { epoch, unknown, answeredAt, transfers, assistants, callHandler, sides, parties, sessions, money } = before
    this.details.resume(sides)
    this.progress.resume(transfers)
    this.life.answeredAt = answeredAt
    this.assistants.resume(assistants)
    this.life.handledBy(callHandler)
    for (const { party, orderedBy } of parties) this.admit(party, { ...(orderedBy !== undefined && { orderedBy }) })
    if (callHandler.kind === 'phone') for (const { party } of parties) this.must(() => this.bridge.add(party.leg))
    this.attendance.unmute()
    this.expenses.resume(sessions, money)
    this.accounts.resume()
    this.books.resume({ epoch, unknown })
    this.#limit()
    this.reports.changed('resumed')
  }

  #limit(): void {
    const left = (this.life.answeredAt ?? 0) + this.longestMs - this.context.clock.now()
    this.endIn(Math.max(left, 0), { by: 'service', reason: 'max_duration', cause: 'normal' })
  }

  /** Runs at hang-up, before the CDR is written. */
  beforeClose(work: () => Promise<void>): void {
    this.#lastWork.push(work)
  }

  /** Delays completion of the call's records until the task is done. */
  track(task: Promise<void>): void {
    this.life.track(task)
  }

  /** Serialises concurrent work. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  /** The first end wins. */
  finish(end: End): void {
    this.life.finish(end)
  }

  /** For ends that a suspended node may detect wrongly after another node took the call over. */
  finishIfOurs(end: End): void {
    this.life.finishIfOurs(end)
  }

  /** Ends the call after the delay, unless it ends earlier or the timer is replaced. */
  endIn(ms: number, end: End): void {
    this.life.endIn(ms, end)
  }

  fail(error: unknown): void {
    this.life.fail(error)
  }

  transfer(input: TransferRequest): Promise<void> {
    return this.context.transfer(this, input)
  }

  /** For work whose failure does not affect the call. */
  attempt(work: () => void): void {
    this.life.attempt(work)
  }

  /** For work the connection of the parties depends on: a failure ends the call. */
  must<T>(work: () => T): T | undefined {
    return this.life.must(work)
  }

  #legEnded(party: Party, end: LegEnd): void {
    if (!this.attendance.has(party)) return
    const { state, consultation } = this.progress
    if (this.progress.mayLeave(party)) this.release(party)
    else if (state === 'consulting' && consultation) consultation.left(party)
    else if (end.by === 'peer') this.finish(endByLeg(party.role, end))
    else this.finishIfOurs(endByLeg(party.role, end))
  }

  #moved(input: CallInput): void {
    if (input === 'progress') this.reports.changed('ringing')
    if (input === 'transferred') this.reports.changed('transferred')
    if (input === 'progress' || input === 'answer' || input === 'end') return
    // These inputs change whether another node could resume the call.
    this.books.changed()
    this.attempt(() => this.recordings.admitNewcomers())
  }

  #facts(): CallFacts {
    const { id: callId, from, to, startedAt, answeredAt, endedAt, end, trace, details, context } = this
    return {
      callId,
      accountIds: details.sides.map(({ accountId }) => accountId),
      from: from.withheld ? undefined : from.number,
      to,
      startedAt,
      answeredAt,
      endedAt,
      end,
      at: context.clock.now(),
      trace,
      codecs: () => this.codecs,
    }
  }

  #ended(end: End): void {
    this.#codecs = this.codecs
    if (!end.taken) this.timeline.ended(end)
    this.progress.end()
    this.context.calls.leave(this.id)
  }

  async #close(end: End): Promise<void> {
    const meters = this.expenses.open
    this.#dismiss(({ leg }) => (end.taken ? leg.abandon() : this.#hangUps.start(() => leg.hangUp(end.cause))))
    for (const work of [...this.#lastWork, () => this.recordings.stopAll()]) await work().catch((error: unknown) => this.life.report(error))
    this.attempt(() => this.#bridge?.close())
    await settleCall(this, end, meters)
    await this.life.tracked()
  }

  /** Removes all parties. */
  #dismiss(notify: (party: Party) => void): void {
    this.expenses.abandon()
    for (const party of this.parties) {
      party.meter?.stop()
      this.attempt(() => notify(party))
      this.attendance.leave(party)
    }
  }
}
