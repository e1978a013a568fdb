import type { End } from '#core/kernel/ports/call-end.ts'
import { randomUUID } from 'node:crypto'
import { maxCallSeconds } from '#core/money/rating.ts'
import type { Bridge, CallerIdentity, Cause, Leg, LegEnd, TransferAsked } from '#core/kernel/ports/telephony.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import { Announcements } from './control/announce.ts'
import { Attendance } from './control/attendance.ts'
import { CallTimeline } from './records/call-timeline.ts'
import { CallAccounts } from './control/call-accounts.ts'
import type { CallInput } from './state/call-machine.ts'
import { CallProgress } from './state/call-progress.ts'
import { writeCallRecords } from './records/close-books.ts'
import { endByFault, endByLeg, Ending, takenOver } from './state/end.ts'
import { BackgroundWork } from '#core/kernel/work/background-work.ts'
import { CallCharges } from './records/expenses.ts'
import type { TransferRequest } from './state/transfer-wish.ts'
import { CallReports } from './records/call-reports.ts'
import { RunningCallRecord } from './records/open-books.ts'
import type { CallHold } from '#core/kernel/ports/store/call/running-calls.ts'
import type { CallContext } from './state/call-context.ts'
import type { Prepaid } from './money/prepaid.ts'
import type { Party } from './state/party.ts'
import { Recordings } from './control/recordings.ts'
import { CallDetails, type OutgoingSide, type Side } from './state/call-details.ts'
import { assistantOf, type IncomingCallHandler } from './state/taker.ts'

export interface CallOptions {
  /** Given when the one that ordered the call knows it by this id already. */
  id?: string
  from: CallerIdentity
  /** What was called. */
  to: string
  /** How often it was forwarded before it came to us. */
  hops?: number
  /** As long as any call unless given. */
  maxSeconds?: number
  /** When it arrived, or began in the process that had it; now, unless given. */
  startedAt?: number
  /** Of the one who ordered it. */
  trace?: IncomingTrace | undefined
}

/** What a call was like in the process that had it. */
export interface CallBefore {
  epoch: number
  /** What a later version had written about it. */
  unknown: object
  answeredAt: number
  transfers: number
  assisted: boolean
  taker: IncomingCallHandler
  sides: readonly Side[]
  parties: readonly { party: Party; orderedBy: string | undefined }[]
  sessions: number
  money: readonly Prepaid[]
}

/** What calls work with, and who transfers them. */
export interface TransferringContext extends CallContext {
  /** A phone in the call asks for a transfer. Must not throw. */
  onTransferAsked: (call: Call, party: Party, asked: TransferAsked) => void
  /** A user asks for a transfer. Resolves when the new party rings or has answered; throws a Problem when it will do neither. */
  transfer: (call: Call, input: TransferRequest) => Promise<void>
}

/** One phone call while it lasts: its parties, what it costs, what is written about it. Ends once. */
export class Call {
  readonly id: string
  readonly context: TransferringContext
  readonly from: CallerIdentity
  readonly to: string
  readonly hops: number
  readonly startedAt: number
  readonly trace: IncomingTrace | undefined
  readonly longestMs: number
  readonly details = new CallDetails()
  readonly progress = new CallProgress((input) => this.#moved(input))
  readonly recordings: Recordings
  readonly attendance = new Attendance(this)
  readonly accounts = new CallAccounts(this)
  readonly announcements = new Announcements(this)
  readonly expenses = new CallCharges(this)
  readonly timeline = new CallTimeline(this)
  readonly reports = new CallReports(this)
  /** What others will need to end it if this process does not. */
  readonly books = new RunningCallRecord(this)
  /** Resolves when it is over and everything about it is paid and written down. */
  readonly written: Promise<void>
  /** Resolves when also every phone has heard that it is over, or cannot be told. */
  readonly closed: Promise<void>
  #answeredAt: number | undefined
  #endedAt: number | undefined
  /** Of those who were in it when it ended. */
  #codecs: readonly string[] | undefined
  #callHandler: IncomingCallHandler | undefined
  /** Another process is about to take it. */
  #handing = false
  #assisted = false
  #bridge: Bridge | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #cancelTimer: () => void = () => {}
  readonly #ending = new Ending()
  readonly #backgroundWork = new BackgroundWork((error) => this.#report(error))
  readonly #hangUps = new BackgroundWork((error) => this.#report(error))
  readonly #lastWork: (() => Promise<void>)[] = []

  constructor(
    context: TransferringContext,
    { id = randomUUID(), from, to, hops = 0, maxSeconds = maxCallSeconds, startedAt, trace }: CallOptions,
  ) {
    this.id = id
    this.context = context
    this.from = from
    this.to = to
    this.hops = hops
    this.longestMs = Math.min(maxSeconds, maxCallSeconds) * 1000
    this.startedAt = startedAt ?? context.clock.now()
    this.trace = trace
    this.recordings = new Recordings(this)
    this.written = this.#ending.over.then((end) => this.#close(end))
    this.closed = this.written.then(() => this.#hangUps.done())
  }

  get answeredAt(): number | undefined {
    return this.#answeredAt
  }

  get endedAt(): number | undefined {
    return this.#endedAt
  }

  /** What its phones speak. */
  get codecs(): readonly string[] {
    return this.#codecs ?? this.parties.map(({ leg }) => leg.codec).filter((codec) => codec !== undefined)
  }

  get taker(): IncomingCallHandler | undefined {
    return this.#callHandler
  }

  /** An assistant has the call, or had it. */
  get assisted(): boolean {
    return this.#assisted
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
    return (this.#bridge ??= this.context.telephony.bridge())
  }

  /** `outgoing`: a phone or an assistant of this account calls. */
  started(outgoing?: OutgoingSide): void {
    if (outgoing) {
      this.details.outgoing(outgoing)
      this.accounts.show(outgoing.accountId)
    }
    this.reports.changed('started')
  }

  /** Takes part from now on; unless it is replaced, the call ends with it. A party that cannot be taken in is hung up. */
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

  /** Leaves this call for another one. */
  handOff(party: Party): void {
    this.attendance.leave(party)
    this.isolate(party.leg)
    this.books.changed()
  }

  /** Hears no other party of the call any more. */
  isolate(leg: Leg): void {
    this.attempt(() => this.#bridge?.remove(leg))
    this.attempt(() => this.recordings.partiesChanged())
  }

  /** Leaves the call, which goes on; it is told and its money is settled. */
  release(party: Party): void {
    this.handOff(party)
    this.drop(party)
    const accountId = party.station?.accountId
    if (accountId === undefined || this.accounts.involves(accountId)) return
    this.details.left(accountId, this.context.clock.now())
    this.accounts.hideUnlessInvolved(accountId)
  }

  /** Hangs up a leg that does not, or not any more, belong to the call. */
  drop({ leg, meter }: Pick<Party, 'leg'> & Partial<Pick<Party, 'meter'>>, cause: Cause = 'normal'): void {
    this.#hangUps.start(() => leg.hangUp(cause))
    if (meter) this.expenses.settle(meter)
  }

  /** The call was taken; from now on its longest duration counts. */
  answered(callHandler: IncomingCallHandler): void {
    this.#callHandler = callHandler
    if (callHandler.kind === 'assistant') this.#assisted = true
    this.attempt(() => this.recordings.partiesChanged())
    if (!this.progress.answer()) return
    this.#answeredAt = this.context.clock.now()
    this.attendance.answered()
    this.books.open()
    this.#limit()
    this.reports.changed('answered')
  }

  /** Another process is to go on with it, and asks its phones. Gives its hold, or undefined when nobody else can go on with it now. */
  async beginHandOver(): Promise<CallHold | undefined> {
    if (this.#handing || this.end) return undefined
    this.#handing = true
    await assistantOf(this.#callHandler)?.quiet()
    const hold = await this.books.freeze()
    if (!hold) this.#handing = false
    return hold
  }

  /** It stays here after all. */
  keep(): void {
    this.#handing = false
    this.books.thaw()
  }

  /** Goes on with a call that another process had: everything is as it was there, and counts from when it did there. */
  resume(before: CallBefore): void {
    const { epoch, unknown, answeredAt, transfers, assisted, taker: callHandler, sides, parties, sessions, money } = before
    this.details.resume(sides)
    this.progress.resume(transfers)
    this.#answeredAt = answeredAt
    this.#assisted = assisted
    this.#callHandler = callHandler
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
    const left = (this.#answeredAt ?? 0) + this.longestMs - this.context.clock.now()
    this.endIn(Math.max(left, 0), { by: 'service', reason: 'max_duration', cause: 'normal' })
  }

  /** To be done when the call is over, before it is written down. */
  beforeClose(work: () => Promise<void>): void {
    this.#lastWork.push(work)
  }

  /** The call is not written down completely before this is over. */
  track(task: Promise<void>): void {
    this.#backgroundWork.start(() => task)
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
    this.#endedAt = this.context.clock.now()
    this.#codecs = this.codecs
    if (!end.taken) this.timeline.ended(end)
    this.progress.end()
    this.#cancelTimer()
    this.context.calls.leave(this.id)
  }

  /** For what also seems so to a process that stood still while another one took the call. */
  finishIfOurs(end: End): void {
    if (!this.context.leases.shared || !this.books.written) return this.finish(end)
    this.track(this.books.stillOurs().then((ours) => this.finish(ours ? end : takenOver)))
  }

  /** Unless it is over before, or something else is said meanwhile. */
  endIn(ms: number, end: End): void {
    this.#cancelTimer()
    this.#cancelTimer = this.context.clock.after(ms, () => this.finishIfOurs(end))
  }

  fail(error: unknown): void {
    this.#report(error)
    this.finish(endByFault(error))
  }

  transferAsked(party: Party, asked: TransferAsked): void {
    this.context.onTransferAsked(this, party, asked)
  }

  transfer(input: TransferRequest): Promise<void> {
    return this.context.transfer(this, input)
  }

  /** For what may fail without any harm to the call. */
  attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#report(error)
    }
  }

  /** For what must not fail: without it the parties would not be connected as they should, so the call ends. */
  must<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.fail(error)
      return undefined
    }
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
    // Whether another process could go on with it.
    if (input !== 'progress' && input !== 'answer' && input !== 'end') this.books.changed()
  }

  #report(error: unknown): void {
    this.context.onFailure(error, this.id)
  }

  async #close(end: End): Promise<void> {
    const meters = this.expenses.open
    this.#dismiss(({ leg }) => (end.taken ? leg.abandon() : this.#hangUps.start(() => leg.hangUp(end.cause))))
    for (const work of [...this.#lastWork, () => this.recordings.stopAll()]) await work().catch((error: unknown) => this.#report(error))
    this.attempt(() => this.#bridge?.close())
    const ours = end.taken ? await this.books.stop().then(() => false) : await this.#settle(end, meters)
    this.context.leases.release(`call ${this.id}`)
    this.reports.changed(ours ? 'ended' : 'taken')
    if (ours) this.timeline.close()
    else this.timeline.abandon()
    await this.#backgroundWork.done()
  }

  /** Nobody takes part any more. */
  #dismiss(notify: (party: Party) => void): void {
    this.expenses.abandon()
    for (const party of this.parties) {
      party.meter?.stop()
      this.attempt(() => notify(party))
      this.attendance.leave(party)
    }
  }

  /** False when another process has done so. */
  async #settle(end: End, meters: readonly Prepaid[]): Promise<boolean> {
    const { id: callId, startedAt, details } = this
    const finished = { callId, startedAt, endedAt: this.#endedAt ?? startedAt, end, sides: details.sides, meters, books: this.books }
    const ours = await writeCallRecords(this.context, finished).catch((error: unknown) => this.#report(error))
    if (ours && details.sides.some(({ followed }) => followed.length > 0)) this.context.wake()
    return ours ?? true
  }
}
