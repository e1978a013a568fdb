import type { Call } from '../call/call.ts'
import type { End, EndReason } from '../call/end.ts'
import type { Party } from '../call/party.ts'
import type { FlowCall } from '../ports/flow-runtime.ts'
import type { Account } from '../ports/store/accounts.ts'
import type { Flow } from '../ports/store/flows.ts'
import type { Cause } from '../ports/telephony.ts'
import { aimOfAssistant, transferRefused } from './assistant-transfer.ts'
import type { Board } from './board.ts'
import type { Plan } from './plan.ts'
import type { Aim, ReplacementOptions } from './replacement.ts'
import type { Trail } from './search.ts'

export interface AssistantCallParts {
  board: Board
  call: Call
  account: Account
  flow: Flow
  /** Who talks with the assistant. */
  person: Party
  direction: FlowCall['direction']
  from: string | undefined
  to: string
  trail: Trail
  /** Inbound: takes the call. */
  pickUp?: () => Promise<void>
}

/** A call as its assistant sees it. */
export class AssistantCall implements FlowCall {
  readonly callId: string
  readonly accountId: string
  readonly direction: FlowCall['direction']
  readonly from: string | undefined
  readonly to: string
  readonly language: string
  readonly over: Promise<End>
  readonly #parts: AssistantCallParts
  #state: 'offered' | 'talking' | 'out'

  constructor(parts: AssistantCallParts) {
    this.callId = parts.call.id
    this.accountId = parts.account.id
    this.direction = parts.direction
    this.from = parts.from
    this.to = parts.to
    this.language = parts.account.locale.slice(0, 2)
    this.over = parts.call.over
    this.#parts = parts
    this.#state = parts.pickUp ? 'offered' : 'talking'
  }

  /** It was not taken, or somebody else has it now. */
  get state(): 'offered' | 'talking' | 'out' {
    return this.#state
  }

  async answer(): Promise<void> {
    const { call, pickUp } = this.#parts
    if (call.end || this.#state !== 'offered') return
    this.#state = 'talking'
    call.assisted = true
    await pickUp?.()
  }

  hangUp(reason: EndReason): void {
    if (this.#state === 'out') return
    const cause = this.#state === 'talking' ? 'normal' : 'unavailable'
    this.#parts.call.finish({ by: reason === 'assistant_hangup' ? 'assistant' : 'service', reason, cause })
  }

  /** What may not be done is refused before anything changes; the caller hears nothing of it. */
  async transfer(to: string, wish: { callerName?: string; callerNumber?: string }): Promise<'taken' | Cause> {
    const { board } = this.#parts
    if (this.#cannotTransfer) return this.#cannotTransfer
    const ownNumber = this.direction === 'inbound' ? this.to : this.from
    const aim = await board.tasks.track(aimOfAssistant(board, { ...this.#parts, to, ...wish, ownNumber }))
    if (typeof aim === 'string') return aim
    return this.#cannotTransfer ?? this.#replaceItself(aim)
  }

  get #cannotTransfer(): Cause | undefined {
    const { call, person } = this.#parts
    return this.#state === 'talking' ? transferRefused(call, person) : 'not_acceptable'
  }

  #replaceItself(aim: Aim): Promise<'taken' | Cause> {
    const { board, call, person } = this.#parts
    const { promise, resolve } = Promise.withResolvers<'taken' | Cause>()
    const options: ReplacementOptions = {
      waiting: person,
      leaving: undefined,
      role: this.direction === 'inbound' ? 'callee' : 'caller',
      done: (plan) => {
        this.#leave(plan)
        resolve('taken')
      },
      failed: resolve,
    }
    call.alongside(board.replace(call, options, () => Promise.resolve(aim)))
    return Promise.race([promise, call.over.then((): Cause => 'normal')])
  }

  async record(): Promise<void> {
    if (this.#state === 'talking' && !this.#parts.call.end) await this.#parts.call.recordings.start(this.accountId, { announcement: false })
  }

  /** The call goes on without the assistant. */
  #leave({ place, called }: Plan): void {
    const { board, call } = this.#parts
    const { accountId } = this
    this.#state = 'out'
    if (place?.accountId !== accountId) call.story.passedOn(accountId, called)
    if (call.involves(accountId)) return
    call.story.left(accountId, board.clock.now())
    call.hideUnlessInvolved(accountId)
  }
}
