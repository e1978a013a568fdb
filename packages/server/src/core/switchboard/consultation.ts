import type { Call, Taker } from '../call/call.ts'
import { endBySearch } from '../call/end.ts'
import type { Consulting, TransferWish } from '../call/handing-over.ts'
import type { Party } from '../call/party.ts'
import { languageOf } from '../call/say-goodbye.ts'
import type { Followed } from '../ports/call-guide.ts'
import type { Bridge, Cause } from '../ports/telephony.ts'
import { Aside, takeUp, type Rest } from './aside.ts'
import type { Board } from './board.ts'
import type { Plan } from './plan.ts'
import { Seeking, type Aim } from './seeking.ts'
import { allTold, endTold, toldOf } from './told.ts'
import { noteHandedOn } from './transfer.ts'
import { transferProblem } from './transfer-problem.ts'

export interface ConsultationOptions {
  /** Talks with the third one, and leaves if the two others are to be connected. */
  owner: Party
  /** Hears music meanwhile. */
  waiting: Party
  wish: TransferWish
}

/** A phone that was asked to call us with Replaces does so at once, or not at all. */
const longestReferralMs = 5_000

/** One of two asks a third one, who may then take the place. Who waits hears nothing of it, and nobody records it. */
export class Consultation implements Consulting {
  readonly accountId: string
  readonly to: string
  readonly waiting: Party
  readonly owner: Party
  /** Resolves when the third one rings or has answered; rejects with a Problem when they will not. */
  readonly rings: Promise<void>
  readonly #board: Board
  readonly #call: Call
  readonly #aside: Aside
  readonly #seeking: Seeking
  readonly #tell: { resolve: () => void; reject: (problem: Error) => void }
  /** What is over for the account's software if the owner leaves … */
  readonly #told: readonly Followed[]
  /** … and what all others knew before the third one was asked. */
  readonly #knownBefore: readonly Followed[]
  #room: Bridge | undefined
  #target: Party | undefined
  #plan: Plan | undefined
  #separated = false
  #cancelTimer: () => void = () => {}

  constructor(board: Board, call: Call, { owner, waiting, wish }: ConsultationOptions) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#board = board
    this.#call = call
    this.owner = owner
    this.waiting = waiting
    this.accountId = wish.accountId
    this.to = wish.to
    this.rings = promise
    this.#tell = { resolve, reject }
    this.#aside = new Aside(call, waiting)
    this.#knownBefore = allTold(call)
    this.#told = toldOf(call, wish.accountId, { role: owner.role, other: waiting })
    this.#seeking = new Seeking(board, call, {
      waiting: owner,
      bridge: () => (this.#ownerStays ? this.#privateRoom() : call.bridge),
      peopleOnly: true,
      ringing: () => this.#separate(),
      taken: (by, target, plan) => this.#taken(by, target, plan),
    })
    call.leaving = owner
    call.move('transfer')
    call.atTheEnd(() => Promise.resolve(this.#close()))
  }

  async run(aim: () => Promise<Aim | Cause>): Promise<void> {
    try {
      this.#call.attendance.silence()
      void this.owner.leg.ended.then(() => this.#call.attempt(() => this.#ownerLeft()))
      const found = await this.#board.tasks.track(aim())
      const outcome = typeof found === 'string' ? found : await this.#seeking.run(found)
      if (outcome !== 'taken' || this.#call.end) this.#giveUp(outcome === 'taken' ? 'normal' : outcome)
    } catch (error) {
      if (this.#target) return this.#call.fail(error)
      this.#board.onFailure(error, this.#call.id)
      this.#giveUp('failed')
    }
  }

  complete(): Rest {
    const { owner, waiting } = this
    const [call, target] = [this.#call, this.#target]
    if (call.consultation !== this || !target || !call.move('transfer')) return nothing
    call.transfers += 1
    target.role = owner.role
    if (call.parties.includes(owner)) call.release(owner)
    if (this.#board.transferBy !== 'refer' || !this.#mayTakePlace(waiting)) return this.#join()
    return async () => {
      await this.#refer(target)
      if (call.consultation === this && !call.end) await this.#join()()
    }
  }

  callOff(): Rest {
    const [call, target] = [this.#call, this.#target]
    if (call.consultation !== this || !target || !call.move('consulted')) return nothing
    if (call.parties.includes(target)) call.release(target)
    for (const told of allTold(call)) if (!this.#knownBefore.includes(told)) endTold(call, told, 'normalClearing')
    call.bridge.add(this.owner.leg)
    call.story.takenBack(this.accountId, this.owner.desk)
    return this.#end()
  }

  left(party: Party): void {
    if (party === this.waiting) return this.#goOn()
    this.#later(party === this.owner ? this.complete() : this.callOff())
  }

  /** The phone of the one who waits, which we asked to call us: this is it, and takes its own place. */
  replaceWaiting(guest: Party): void {
    const call = this.#call
    if (call.consultation !== this || call.end) return call.drop(guest)
    call.admit(guest)
    call.bridge.add(guest.leg)
    this.#join()
    call.release(this.waiting)
  }

  #handOn(): void {
    if (this.#plan) noteHandedOn(this.#call, this.accountId, this.#plan)
    for (const told of this.#told) endTold(this.#call, told, 'forwarded')
  }

  /** From now on one hears music and the other what the third one's phone does. */
  #separate(): void {
    if (!this.#ownerStays) return this.#tell.resolve()
    if (this.#separated) return
    this.#separated = true
    const report = (error: unknown): void => this.#board.onFailure(error, this.#call.id)
    const done = Promise.all([this.#aside.hold(), takeUp(this.owner)]).then(() => {}, report)
    this.#call.alongside(done.then(() => this.#tell.resolve()))
  }

  #taken(by: Taker, target: Party | undefined, plan: Plan): void {
    const call = this.#call
    this.#target = target
    this.#plan = plan
    this.#separate()
    call.leaving = undefined
    if (!target) return
    if (!this.#ownerStays) return this.#takenAlone(by, target)
    call.consultation = this
    call.move('consult')
    target.meter?.tell({ runsOut: (ms) => this.#runsOut(ms), unknown: () => this.#later(this.callOff()) })
    call.attendance.unsilence()
  }

  /** The one who asked did not wait for the answer. */
  #takenAlone(by: Taker, target: Party): void {
    const call = this.#call
    call.transfers += 1
    target.role = this.owner.role
    call.move('transferred')
    call.answered(by)
    this.#handOn()
    call.attendance.unsilence()
  }

  #giveUp(cause: Cause): void {
    const call = this.#call
    this.#tell.reject(transferProblem(cause))
    this.rings.catch(() => {})
    if (call.end) return
    call.leaving = undefined
    call.attempt(() => this.#seeking.stopRinging())
    if (!this.#ownerStays) return call.finish(endBySearch(cause))
    call.move('transfer_failed')
    call.attempt(() => call.bridge.add(this.owner.leg))
    this.#later(this.#end())
    call.attendance.unsilence()
  }

  /** Before anybody answered: then it is the one who waits that waits for that. */
  #ownerLeft(): void {
    if (this.#call.state !== 'transferring' || this.#target) return
    this.#later(this.#aside.back())
    this.#seeking.passTo(this.waiting)
  }

  /** Who waited has hung up: the others go on. */
  #goOn(): void {
    const [call, target] = [this.#call, this.#target]
    if (!target || !call.move('consulted')) return
    target.role = this.waiting.role
    const told = toldOf(call, this.waiting.desk?.accountId, { role: this.waiting.role, other: this.owner })
    call.release(this.waiting)
    for (const one of told) endTold(call, one, 'normalClearing')
    for (const { leg } of [this.owner, target]) call.bridge.add(leg)
    this.#end()
  }

  #join(): Rest {
    const [call, target] = [this.#call, this.#target]
    if (target) call.bridge.add(target.leg)
    const rest = this.#end()
    call.move('transferred')
    this.#handOn()
    return async () => {
      await rest()
      if (target) await takeUp(target)
    }
  }

  /** There are two again. */
  #end(): Rest {
    const call = this.#call
    const rest = this.#aside.back()
    call.consultation = undefined
    this.#close()
    if (this.#target && call.parties.includes(this.#target)) call.heedMoney(this.#target)
    call.attendance.unsilence()
    return rest
  }

  #close(): void {
    this.#cancelTimer()
    this.#room?.close()
    this.#room = undefined
  }

  get #ownerStays(): boolean {
    return this.#call.parties.includes(this.owner)
  }

  #privateRoom(): Bridge {
    return (this.#room ??= this.#board.telephony.bridge())
  }

  #later(rest: Rest): void {
    this.#call.alongside(this.#call.inTurn(rest))
  }

  /** The one who asked hears why, and is back with the other. */
  #runsOut(ms: number): void {
    const callOff = (): void => this.#later(this.callOff())
    this.#cancelTimer = this.#board.clock.after(ms, callOff)
    this.#sayWhy().then(callOff, (error: unknown) => this.#board.onFailure(error, this.#call.id))
  }

  async #sayWhy(): Promise<void> {
    const language = await languageOf(this.#call, this.accountId)
    await this.owner.leg.play({ prompt: 'insufficient-funds', language }).done
  }

  #mayTakePlace({ leg, desk, trusted }: Party): boolean {
    return leg.refers && trusted && desk?.accountId === this.accountId
  }

  /** Asks the phone that waits to take part in the other talk by itself. Whether it does is seen by whether it comes. */
  async #refer({ leg }: Party): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const cancelTimer = this.#board.clock.after(longestReferralMs, resolve)
    const asked = this.waiting.leg.refer({ leg }).catch(() => {})
    await Promise.race([asked, late, this.#call.over]).finally(cancelTimer)
  }
}

const nothing: Rest = () => Promise.resolve()
