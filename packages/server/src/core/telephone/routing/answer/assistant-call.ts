import type { End, EndReason } from '#core/kernel/ports/call-end.ts'
import { atMost } from '#core/kernel/work/at-most.ts'
import { AssistantParty } from '#core/telephone/call/state/assistant-party.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { TransferRequest } from '#core/telephone/call/state/transfer-wish.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { FlowCall, FlowTransfer } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Cause, PretendedNumbers } from '#core/kernel/ports/telephony.ts'
import { assistantRingTarget, assistantTransferRejection } from '../search/assistant-transfer.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import type { Plan, DiversionHistory } from '../plan/plan.ts'
import { transferProblem } from '../search/transfer-problem.ts'
import { userRingTarget } from '../search/user-ring-target.ts'
import type { ReplacementOptions, DialTarget } from '../search/ring-target.ts'

export interface AssistantCallDeps {
  context: RoutingContext
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
const maxSentenceMs = 5_000

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
  readonly #deps: AssistantCallDeps
  readonly #observers = new Set<(waits: boolean) => void>()
  #waits = false
  readonly #transferObservers = new Set<TransferObserver>()
  /** The latest transfer that a user wanted. */
  #wished: Parameters<TransferObserver> | undefined
  #quiet: () => Promise<void> = () => Promise.resolve()
  #state: 'offered' | 'talking' | 'out'

  constructor(deps: AssistantCallDeps) {
    this.callId = deps.call.id
    this.accountId = deps.account.id
    this.direction = deps.direction
    this.from = deps.pretends?.from ?? deps.from
    this.to = deps.pretends?.to ?? deps.to
    this.trace = deps.call.trace
    this.draft = deps.draft ?? false
    this.language = deps.account.locale.slice(0, 2)
    this.over = deps.call.over
    this.#deps = deps
    this.#state = deps.pickUp ? 'offered' : 'talking'
    this.party = new AssistantParty({
      id: deps.partyId,
      accountId: this.accountId,
      sees: { flowId: deps.flow.id, direction: this.direction, from: deps.from, to: deps.to },
      number: (this.direction === 'inbound' ? deps.to : deps.from) ?? '',
      person: deps.person,
      waits: (value) => this.#notify(value),
      transfer: (input) => this.#transferForUser(input),
      quiet: () => atMost(deps.context.clock, maxSentenceMs, this.#quiet(), undefined),
    })
  }

  /** `offered`: it was not taken yet. `out`: the call was transferred away from the assistant. */
  get state(): 'offered' | 'talking' | 'out' {
    return this.#state
  }

  async answer(): Promise<void> {
    const { call, person, pickUp } = this.#deps
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
    const { call } = this.#deps
    if (reason === 'assistant_hangup') call.finish({ by: 'assistant', reason, cause })
    else call.finishIfOurs({ by: 'service', reason, cause })
  }

  /** What may not be done is refused before anything changes; the caller hears nothing of it. */
  async transfer(to: string, input: FlowTransfer): Promise<'taken' | Cause> {
    const { context } = this.#deps
    if (this.#cannotTransfer) return this.#cannotTransfer
    const ownNumber = this.direction === 'inbound' ? this.#deps.to : this.#deps.from
    const aim = await context.tasks.track(assistantRingTarget(context, { ...this.#deps, to, ...input, ownNumber }))
    if (typeof aim === 'string') return aim
    return this.#cannotTransfer ?? this.#replaceItself(aim)
  }

  get #cannotTransfer(): Cause | undefined {
    const { call, person } = this.#deps
    return this.#state === 'talking' ? assistantTransferRejection(call, person) : 'not_acceptable'
  }

  #replaceItself(aim: DialTarget): Promise<'taken' | Cause> {
    const { call } = this.#deps
    const { promise, resolve } = Promise.withResolvers<'taken' | Cause>()
    const outcome = { failureCounts: true, done: () => resolve('taken'), failed: resolve }
    call.track(this.#replace(outcome, () => Promise.resolve(aim)))
    return Promise.race([promise, call.over.then((): Cause => 'normal')])
  }

  /** Not where the assistant may, but where the account may call. It goes on talking until a phone rings there. */
  #transferForUser(input: TransferRequest): Promise<void> {
    const { context, call, person } = this.#deps
    const { promise: rings, resolve, reject } = Promise.withResolvers<void>()
    const outcome = Promise.withResolvers<'taken' | Cause>()
    let started = false
    const ringing = (): void => {
      if (started) return
      started = true
      this.#wished = [input.to, outcome.promise]
      for (const heed of this.#transferObservers) call.attempt(() => heed(input.to, outcome.promise))
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
    call.track(
      this.#replace({ failureCounts: false, ringing, done, failed }, () =>
        userRingTarget(context, call, input, { station: undefined, waiting: person }),
      ),
    )
    return rings
  }

  #replace(
    outcome: Pick<ReplacementOptions, 'failureCounts' | 'ringing' | 'done' | 'failed'>,
    aim: () => Promise<DialTarget | Cause>,
  ): Promise<void> {
    const { context, call, person: waiting } = this.#deps
    const done = (plan: Plan): void => {
      this.#leave(plan)
      outcome.done(plan)
    }
    const role = this.direction === 'inbound' ? 'callee' : 'caller'
    return context.replace(call, { ...outcome, waiting, leaving: undefined, role, done }, aim)
  }

  async record(): Promise<void> {
    if (this.#state === 'talking' && !this.#deps.call.end) await this.#deps.call.recordings.start(this.accountId, { announcement: false })
  }

  #notify(waits: boolean): void {
    this.#waits = waits
    for (const observer of this.#observers) this.#deps.call.attempt(() => observer(waits))
  }

  /** The call goes on without the assistant. */
  #leave(plan: Plan): void {
    const { context, call } = this.#deps
    const { accountId } = this
    this.#state = 'out'
    this.party.leave()
    call.details.transferred(accountId, plan)
    if (call.accounts.involves(accountId)) return
    call.details.left(accountId, context.clock.now())
    call.accounts.hideUnlessInvolved(accountId)
  }
}
