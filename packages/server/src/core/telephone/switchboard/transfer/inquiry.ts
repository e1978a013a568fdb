import type { Call } from '#core/telephone/call/call.ts'
import type { Taker } from '#core/telephone/call/state/taker.ts'
import { endBySearch } from '#core/telephone/call/state/end.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Followed } from '#core/kernel/ports/call-guide.ts'
import type { Bridge, Cause } from '#core/kernel/ports/telephony.ts'
import { Aside, takeUp } from './aside.ts'
import type { Board } from '../find/board.ts'
import { Consultation, type InquiryOptions } from './consultation.ts'
import type { Plan } from '../plan/plan.ts'
import { Seeking } from './seeking.ts'
import { allTold, endTold, toldOf } from '../find/told.ts'
import { transferProblem } from '../find/transfer-problem.ts'
import type { Aim } from '../find/aim.ts'

/** A third one is called whom one of two wants to ask. Nothing changes for the two before it rings there. */
export class Inquiry {
  /** Resolves when the third one rings or has answered; rejects with a Problem when they will not. */
  readonly rings: Promise<void>
  readonly #board: Board
  readonly #call: Call
  readonly #options: InquiryOptions
  readonly #aside: Aside
  readonly #seeking: Seeking
  readonly #tell: { resolve: () => void; reject: (problem: Error) => void }
  /** What is over for the account's software if the owner leaves … */
  readonly #told: readonly Followed[]
  /** … and what all others knew before the third one was asked. */
  readonly #knownBefore: readonly Followed[]
  #room: Bridge | undefined
  #separated = false
  /** `taken`: somebody was found. */
  #outcome: 'taken' | 'given_up' | undefined

  constructor(board: Board, call: Call, options: InquiryOptions) {
    const { owner, waiting, wish } = options
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#board = board
    this.#call = call
    this.#options = options
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
      taken: (taker, target, plan) => target && this.#answered(taker, target, plan),
    })
    call.progress.beginTransfer(owner)
    call.atTheEnd(async () => this.#closeRoom())
  }

  async run(aim: () => Promise<Aim | Cause>): Promise<void> {
    try {
      void this.#options.owner.leg.ended.then(() => this.#ownerLeft())
      const found = await this.#board.tasks.track(aim())
      const outcome = typeof found === 'string' ? found : await this.#seeking.run(found)
      if (outcome !== 'taken') this.#giveUp(outcome)
    } catch (error) {
      if (this.#outcome === 'taken') return this.#call.fail(error)
      this.#board.onFailure(error, this.#call.id)
      this.#giveUp('failed')
    }
  }

  get #ownerStays(): boolean {
    return this.#call.parties.includes(this.#options.owner)
  }

  #privateRoom(): Bridge {
    return (this.#room ??= this.#board.telephony.bridge())
  }

  #closeRoom(): void {
    this.#room?.close()
    this.#room = undefined
  }

  /** From now on one hears music and the other what the third one's phone does. */
  #separate(): void {
    if (!this.#ownerStays) return this.#tell.resolve()
    if (this.#separated) return
    this.#separated = true
    this.#call.attendance.silence()
    const report = (error: unknown): void => this.#board.onFailure(error, this.#call.id)
    const done = Promise.all([this.#aside.hold(), takeUp(this.#options.owner)]).then(() => {}, report)
    this.#call.alongside(done.then(() => this.#tell.resolve()))
  }

  #answered(taker: Taker, target: Party, plan: Plan): void {
    const call = this.#call
    this.#outcome = 'taken'
    this.#separate()
    if (!this.#ownerStays) return this.#handOver(taker, target, plan)
    const [aside, room, told, knownBefore] = [this.#aside, this.#privateRoom(), this.#told, this.#knownBefore]
    this.#room = undefined // it is the consultation's from now on
    new Consultation(this.#board, call, { ...this.#options, target, plan, aside, room, told, knownBefore }).begin()
  }

  /** The one who asked did not wait for the answer: the other one did. */
  #handOver(taker: Taker, target: Party, plan: Plan): void {
    const call = this.#call
    const { owner, wish } = this.#options
    target.role = owner.role
    call.progress.transferred({ counts: true })
    call.answered(taker)
    call.story.handedOn(wish.accountId, plan)
    for (const told of this.#told) endTold(call, told, 'forwarded')
    call.attempt(() => this.#closeRoom())
    call.attendance.unsilence()
  }

  #giveUp(cause: Cause): void {
    const call = this.#call
    this.#outcome = 'given_up'
    this.#tell.reject(transferProblem(cause))
    this.rings.catch(() => {})
    if (call.end) return
    call.attempt(() => this.#seeking.stopRinging())
    if (!this.#ownerStays) return call.finish(endBySearch(cause))
    call.progress.transferFailed({ counts: false })
    call.must(() => call.bridge.add(this.#options.owner.leg))
    call.alongside(call.inTurn(this.#aside.back()))
    call.attempt(() => this.#closeRoom())
    call.attendance.unsilence()
  }

  /** Before anybody answered: then it is the one who waits that waits for that. */
  #ownerLeft(): void {
    const call = this.#call
    if (call.end || this.#outcome) return
    call.alongside(call.inTurn(this.#aside.back()))
    call.must(() => this.#seeking.passTo(this.#options.waiting))
  }
}
