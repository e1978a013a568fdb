import { randomUUID } from 'node:crypto'
import { longestCallSeconds } from '../money/rating.ts'
import type { CallChange, CallFacts } from '../ports/call-observer.ts'
import type { Bridge, Cause, LegEnd } from '../ports/telephony.ts'
import { CallView } from './call-view.ts'
import { next, type CallInput, type CallState } from './call-machine.ts'
import { closeBooks, settleSurely } from './close-books.ts'
import { endByLeg, Ending, serviceFailure, type End } from './end.ts'
import type { Meter } from './meter.ts'
import { sayGoodbye } from './say-goodbye.ts'
import type { CallParts } from './parts.ts'
import type { Party } from './party.ts'
import { Recordings } from './recordings.ts'
import { Story } from './story.ts'
import { PartyWatch } from './party-watch.ts'

export type Taker = 'phone' | 'assistant' | 'voicemail'

/** One phone call while it lasts: who takes part, who pays, what is to be remembered. Ends once. */
export class Call {
  readonly id = randomUUID()
  readonly parts: CallParts
  readonly caller: Party
  /** What was called. */
  readonly to: string
  readonly startedAt: number
  readonly story = new Story()
  readonly recordings: Recordings
  /** Resolves when it is over and everything about it is paid and written down. */
  readonly written: Promise<void>
  /** Resolves when also every phone has heard that it is over, or cannot be told. */
  readonly closed: Promise<void>
  /** How often somebody in it was replaced. */
  transfers = 0
  /** The one who is being replaced. */
  leaving: Party | undefined
  #state: CallState = 'dialing'
  #answeredAt: number | undefined
  #endedAt = 0
  #takenBy: Taker | undefined
  #bridge: Bridge | undefined
  #sessions = 0
  #turn: Promise<unknown> = Promise.resolve()
  #cancelTimer: () => void = () => {}
  readonly #ending = new Ending()
  readonly #parties = new Map<Party, PartyWatch>()
  readonly #duties = new Set<Promise<void>>()
  readonly #farewells = new Set<Promise<void>>()
  readonly #lastWork: (() => Promise<void>)[] = []

  constructor(parts: CallParts, caller: Party, to: string) {
    this.parts = parts
    this.caller = caller
    this.to = to
    this.startedAt = parts.clock.now()
    this.recordings = new Recordings(this)
    this.written = this.#ending.over.then((end) => this.#close(end))
    this.closed = this.written.then(() => allOf(this.#farewells))
    this.admit(caller)
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
    return [...this.#parties.keys()]
  }

  get bridge(): Bridge {
    return (this.#bridge ??= this.parts.telephony.bridge())
  }

  /** The name under which a leg of this call is paid for; the first one has the call's own. */
  nextSession(): string {
    this.#sessions += 1
    return this.#sessions === 1 ? this.id : `${this.id}.${this.#sessions}`
  }

  /** The account is concerned from now on: its users see the call and can end it. */
  show(accountId: string): void {
    if (!this.end) this.parts.calls.enter(new CallView(this, accountId))
  }

  /** Takes part from now on; unless it is replaced, the call ends with it. */
  admit(party: Party): void {
    if (this.end) return this.drop(party)
    this.#parties.set(party, this.#watch(party))
    if (party.desk) this.parts.occupancy.enter(party.desk)
    party.meter?.tell({ runsOut: (ms) => this.#runsOut(party, ms), unknown: () => this.finish(serviceFailure) })
    void party.leg.ended.then((end) => this.#legEnded(party, end))
  }

  /** One who cannot be taken in is not left alone. */
  #watch(party: Party): PartyWatch {
    try {
      return new PartyWatch(this, party)
    } catch (error) {
      this.drop(party, 'failed')
      throw error
    }
  }

  /** Leaves this call for another one. */
  surrender(party: Party): void {
    const watch = this.#parties.get(party)
    this.attempt(() => watch?.stop())
    if (this.#parties.delete(party) && party.desk) this.parts.occupancy.leave(party.desk, this.parts.clock.now())
    this.attempt(() => this.#bridge?.remove(party.leg))
  }

  /** Leaves the call, which goes on; it is told and its money is settled. */
  release(party: Party): void {
    this.surrender(party)
    this.drop(party)
    const accountId = party.desk?.accountId
    const stays = this.parties.some(({ desk, meter }) => accountId === desk?.accountId || accountId === meter?.accountId)
    if (accountId !== undefined && !stays) this.story.left(accountId, this.parts.clock.now())
  }

  /** Hangs up a leg that does not, or not any more, belong to the call. */
  drop({ leg, meter }: Pick<Party, 'leg'> & Partial<Pick<Party, 'meter'>>, cause: Cause = 'normal'): void {
    this.#start(this.#farewells, () => leg.hangUp(cause))
    if (meter) this.settle([meter])
  }

  settle(meters: readonly Meter[]): void {
    this.#start(this.#duties, () => settleSurely(this.parts, this.id, meters))
  }

  /** False when this cannot happen now. */
  move(input: CallInput): boolean {
    const state = next(this.#state, input)
    if (state === undefined) return false
    this.#state = state
    if (input === 'progress') this.tell('ringing')
    if (input === 'transferred') this.tell('transferred')
    return true
  }

  /** Somebody took it; from now on it can last for so long and no longer. */
  answered(by: Taker): void {
    this.#takenBy = by
    if (!this.move('answer')) return
    this.#answeredAt = this.parts.clock.now()
    this.#endIn(longestCallSeconds * 1000, { by: 'service', reason: 'max_duration', cause: 'normal' })
    this.tell('answered')
  }

  /** To be done when the call is over, before it is written down. */
  atTheEnd(work: () => Promise<void>): void {
    this.#lastWork.push(work)
  }

  /** The call is not written down completely before this is over. */
  alongside(task: Promise<void>): void {
    this.#start(this.#duties, () => task)
  }

  /** Nobody hears music because somebody else holds. */
  silence(): void {
    for (const watch of this.#parties.values()) this.attempt(() => watch.stopMusic())
  }

  unsilence(): void {
    for (const watch of this.#parties.values()) this.attempt(() => watch.playMusicIfHeld())
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
    this.move('end')
    this.#cancelTimer()
    this.parts.calls.leave(this.id)
  }

  fail(error: unknown): void {
    this.parts.onFailure(error, this.id)
    this.finish(serviceFailure)
  }

  tell(what: CallChange): void {
    const facts = this.#facts()
    for (const observer of this.parts.observers) this.attempt(() => observer.changed(facts, what))
  }

  /** For what may fail without any harm to the call. */
  attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.parts.onFailure(error, this.id)
    }
  }

  #facts(): CallFacts {
    const { id: callId, to, startedAt, answeredAt, end } = this
    const { number, withheld } = this.caller.identity
    const accountIds = this.story.sides.map(({ accountId }) => accountId)
    return { callId, accountIds, from: withheld ? undefined : number, to, startedAt, answeredAt, end }
  }

  #legEnded(party: Party, end: LegEnd): void {
    if (!this.#parties.has(party)) return
    // Who asked to be replaced may leave before it is known whether that works.
    if (this.#state === 'transferring' && this.leaving === party) this.release(party)
    else this.finish(endByLeg(party.role, end))
  }

  #runsOut({ meter }: Party, ms: number): void {
    const end: End = { by: 'service', reason: 'insufficient_funds', cause: 'payment_required' }
    this.#endIn(ms, end)
    sayGoodbye(this, meter?.accountId).then(
      () => this.finish(end),
      (error: unknown) => this.fail(error),
    )
  }

  #endIn(ms: number, end: End): void {
    this.#cancelTimer()
    this.#cancelTimer = this.parts.clock.after(ms, () => this.finish(end))
  }

  #start(among: Set<Promise<void>>, work: () => Promise<void>): void {
    const running = Promise.resolve()
      .then(work)
      .catch((error: unknown) => this.parts.onFailure(error, this.id))
      .finally(() => among.delete(running))
    among.add(running)
  }

  async #close(end: End): Promise<void> {
    const { parties } = this
    for (const { leg, desk, meter } of parties) {
      meter?.stop()
      this.#start(this.#farewells, () => leg.hangUp(end.cause))
      if (desk) this.parts.occupancy.leave(desk, this.#endedAt)
    }
    for (const watch of this.#parties.values()) this.attempt(() => watch.stop())
    this.#parties.clear()
    for (const work of [...this.#lastWork, () => this.recordings.stopAll()])
      await work().catch((error: unknown) => this.parts.onFailure(error, this.id))
    this.attempt(() => this.#bridge?.close())
    const meters = parties.flatMap(({ meter }) => meter ?? [])
    const { id: callId, startedAt, story } = this
    await closeBooks(this.parts, { callId, startedAt, endedAt: this.#endedAt, end }, story.sides, meters).catch((error: unknown) =>
      this.parts.onFailure(error, callId),
    )
    this.tell('ended')
    await allOf(this.#duties)
  }
}

const allOf = async (tasks: Set<Promise<void>>): Promise<void> => {
  while (tasks.size > 0) await Promise.all(tasks)
}
