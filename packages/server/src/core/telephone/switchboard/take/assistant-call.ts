import type { End, EndReason } from '#core/kernel/ports/call-end.ts'
import { atMost } from '#core/kernel/work/at-most.ts'
import { AssistantParty } from '#core/telephone/call/state/assistant-party.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { TransferWish } from '#core/telephone/call/state/transfer-wish.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { FlowCall, FlowTransfer } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Cause, PretendedNumbers } from '#core/kernel/ports/telephony.ts'
import { aimOfAssistant, assistantTransferRejection } from '../find/assistant-transfer.ts'
import type { SwitchboardContext } from '../find/switchboard-context.ts'
import type { Plan, DiversionHistory } from '../plan/plan.ts'
import { transferProblem } from '../find/transfer-problem.ts'
import { aimOfUser } from '../find/user-aim.ts'
import type { ReplacementOptions, Aim } from '../find/aim.ts'

export interface AssistantCallParts {
  context: SwitchboardContext
  call: Call
  account: Account
  flow: Flow
  /** Who talks with the assistant. */
  person: Party
  direction: FlowCall['direction']
  from: string | undefined
  to: string
  diverted: DiversionHistory
  /** Tries what is being written. */
  draft?: boolean
  pretends?: PretendedNumbers
  /** Of the assistant, given when another process had the call. */
  partyId?: string
  /** Inbound: takes the call. */
  pickUp?: (assistant: AssistantParty) => Promise<void>
}

/** Before a call goes to another process, what is being said may come to its end. */
const longestSentenceMs = 5_000

type TransferObserver = Parameters<FlowCall['observeTransfers']>[0]

/** A call as its assistant sees it. */
export class AssistantCall implements FlowCall {
  readonly callId: string
  readonly accountId: string
  readonly direction: FlowCall['direction']
  readonly from: string | undefined
  readonly to: string
  readonly trace: FlowCall['trace']
  readonly draft: boolean
  readonly language: string
  readonly over: Promise<End>
  /** The assistant as a party of the call. */
  readonly party: AssistantParty
  readonly #parts: AssistantCallParts
  readonly #observers = new Set<(waits: boolean) => void>()
  #waits = false
  readonly #transferObservers = new Set<TransferObserver>()
  /** The latest transfer that a user wanted. */
  #wished: Parameters<TransferObserver> | undefined
  #quiet: () => Promise<void> = () => Promise.resolve()
  #state: 'offered' | 'talking' | 'out'

  constructor(parts: AssistantCallParts) {
    this.callId = parts.call.id
    this.accountId = parts.account.id
    this.direction = parts.direction
    this.from = parts.pretends?.from ?? parts.from
    this.to = parts.pretends?.to ?? parts.to
    this.trace = parts.call.trace
    this.draft = parts.draft ?? false
    this.language = parts.account.locale.slice(0, 2)
    this.over = parts.call.over
    this.#parts = parts
    this.#state = parts.pickUp ? 'offered' : 'talking'
    this.party = new AssistantParty({
      id: parts.partyId,
      accountId: this.accountId,
      sees: { flowId: parts.flow.id, direction: this.direction, from: parts.from, to: parts.to },
      number: (this.direction === 'inbound' ? parts.to : parts.from) ?? '',
      person: parts.person,
      waits: (value) => this.#tell(value),
      transfer: (wish) => this.#transferForUser(wish),
      quiet: () => atMost(parts.context.clock, longestSentenceMs, this.#quiet(), undefined),
    })
  }

  /** `offered`: it was not taken yet. `out`: the call was transferred away from the assistant. */
  get state(): 'offered' | 'talking' | 'out' {
    return this.#state
  }

  async answer(): Promise<void> {
    const { call, person, pickUp } = this.#parts
    if (call.end || this.#state !== 'offered') return
    this.#state = 'talking'
    if (person.held) this.party.wait('hold', true)
    await pickUp?.(this.party)
  }

  observe(waits: (value: boolean) => void): () => void {
    this.#observers.add(waits)
    if (this.#waits) waits(true)
    return () => void this.#observers.delete(waits)
  }

  beforeHandOver(quiet: () => Promise<void>): void {
    this.#quiet = quiet
  }

  observeTransfers(heed: TransferObserver): () => void {
    this.#transferObservers.add(heed)
    if (this.#wished) heed(...this.#wished)
    return () => void this.#transferObservers.delete(heed)
  }

  hangUp(reason: EndReason): void {
    if (this.#state === 'out') return
    const cause = this.#state === 'talking' ? 'normal' : 'unavailable'
    const { call } = this.#parts
    if (reason === 'assistant_hangup') call.finish({ by: 'assistant', reason, cause })
    else call.finishIfOurs({ by: 'service', reason, cause })
  }

  /** What may not be done is refused before anything changes; the caller hears nothing of it. */
  async transfer(to: string, wish: FlowTransfer): Promise<'taken' | Cause> {
    const { context } = this.#parts
    if (this.#cannotTransfer) return this.#cannotTransfer
    const ownNumber = this.direction === 'inbound' ? this.#parts.to : this.#parts.from
    const aim = await context.tasks.track(aimOfAssistant(context, { ...this.#parts, to, ...wish, ownNumber }))
    if (typeof aim === 'string') return aim
    return this.#cannotTransfer ?? this.#replaceItself(aim)
  }

  get #cannotTransfer(): Cause | undefined {
    const { call, person } = this.#parts
    return this.#state === 'talking' ? assistantTransferRejection(call, person) : 'not_acceptable'
  }

  #replaceItself(aim: Aim): Promise<'taken' | Cause> {
    const { call } = this.#parts
    const { promise, resolve } = Promise.withResolvers<'taken' | Cause>()
    const outcome = { failureCounts: true, done: () => resolve('taken'), failed: resolve }
    call.alongside(this.#replace(outcome, () => Promise.resolve(aim)))
    return Promise.race([promise, call.over.then((): Cause => 'normal')])
  }

  /** Not where the assistant may, but where the account may call. It goes on talking until a phone rings there. */
  #transferForUser(wish: TransferWish): Promise<void> {
    const { context, call, person } = this.#parts
    const { promise: rings, resolve, reject } = Promise.withResolvers<void>()
    const outcome = Promise.withResolvers<'taken' | Cause>()
    let begun = false
    const ringing = (): void => {
      if (begun) return
      begun = true
      this.#wished = [wish.to, outcome.promise]
      for (const heed of this.#transferObservers) call.attempt(() => heed(wish.to, outcome.promise))
      resolve()
    }
    const done = (): void => {
      ringing()
      outcome.resolve('taken')
    }
    const failed = (cause: Cause): void => {
      this.#wished = undefined
      outcome.resolve(cause)
      reject(transferProblem(cause))
    }
    call.alongside(
      this.#replace({ failureCounts: false, ringing, done, failed }, () =>
        aimOfUser(context, call, wish, { station: undefined, waiting: person }),
      ),
    )
    return rings
  }

  #replace(
    outcome: Pick<ReplacementOptions, 'failureCounts' | 'ringing' | 'done' | 'failed'>,
    aim: () => Promise<Aim | Cause>,
  ): Promise<void> {
    const { context, call, person: waiting } = this.#parts
    const done = (plan: Plan): void => {
      this.#leave(plan)
      outcome.done(plan)
    }
    const role = this.direction === 'inbound' ? 'callee' : 'caller'
    return context.replace(call, { ...outcome, waiting, leaving: undefined, role, done }, aim)
  }

  async record(): Promise<void> {
    if (this.#state === 'talking' && !this.#parts.call.end) await this.#parts.call.recordings.start(this.accountId, { announcement: false })
  }

  #tell(waits: boolean): void {
    this.#waits = waits
    for (const observer of this.#observers) this.#parts.call.attempt(() => observer(waits))
  }

  /** The call goes on without the assistant. */
  #leave(plan: Plan): void {
    const { context, call } = this.#parts
    const { accountId } = this
    this.#state = 'out'
    this.party.leave()
    call.details.transferred(accountId, plan)
    if (call.accounts.involves(accountId)) return
    call.details.left(accountId, context.clock.now())
    call.accounts.hideUnlessInvolved(accountId)
  }
}
