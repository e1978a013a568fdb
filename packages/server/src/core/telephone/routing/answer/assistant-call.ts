import type { TransferredFrom } from '@offhook/contract/assistant/events.ts'
import { mergeVariables, type Variables } from '@offhook/contract/assistant/variables.ts'
import type { End, EndReason } from '#core/kernel/ports/calls.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import { AssistantParty } from '#core/telephone/call/state/assistant-party.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { TransferRequest } from '#core/telephone/call/state/transfer-request.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { PendingHandover } from '#core/telephone/call/state/assistant-trail.ts'
import type { FlowCall, FlowTransfer, FlowBefore, Handover } from '#core/kernel/ports/assistant.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { Cause, PretendedNumbers, Leg } from '#core/kernel/ports/telephony.ts'
import { assistantRingTarget, assistantTransferRejection } from '../search/assistant-transfer.ts'
import type { RoutingContext, ReplacementOptions, DialTarget } from '../search/routing-context.ts'
import type { Plan, DiversionHistory, Outcome, Step } from '../plan/plan.ts'
import { transferProblem, userRingTarget } from '../search/ring-target.ts'
import { type Search, pickUp } from '../search/search.ts'

interface AssistantCallDeps {
  context: RoutingContext
  call: Call
  account: Account
  flow: Flow
  /** The party talking with the assistant. */
  person: Party
  direction: FlowCall['direction']
  from: string | undefined
  to: string
  variables?: Variables | undefined
  correlationId?: string | undefined
  /** Default: the next of the call. */
  sessionId?: string | undefined
  transferredFrom?: TransferredFrom | undefined
  diverted: DiversionHistory
  /** Runs the draft of the flow. */
  draft?: boolean
  pretends?: PretendedNumbers
  /** Id of the assistant as a party; set after a takeover. */
  partyId?: string
  /** Inbound: answers the call. */
  pickUp?: (assistant: AssistantParty) => Promise<void>
}

/** Milliseconds to finish a sentence before the call is handed over to another node. */
const maxSentenceMs = 5_000

/** Milliseconds another assistant waits for the one before. */
const maxLeaveMs = 1_000

type TransferObserver = Parameters<FlowCall['observeTransfers']>[0]

export class AssistantCall implements FlowCall {
  readonly callId: string
  readonly sessionId: string
  readonly accountId: string
  readonly direction: FlowCall['direction']
  readonly from: string | undefined
  readonly to: string
  readonly trace: FlowCall['trace']
  readonly draft: boolean
  readonly language: string
  readonly variables: Variables | undefined
  readonly correlationId: string | undefined
  readonly transferredFrom: TransferredFrom | undefined
  readonly over: Promise<End>
  /** The assistant as a party of the call. */
  readonly party: AssistantParty
  readonly #deps: AssistantCallDeps
  readonly #observers = new Set<(waits: boolean) => void>()
  #waits = false
  readonly #transferObservers = new Set<TransferObserver>()
  /** Latest transfer requested by a user. */
  #wished: Parameters<TransferObserver> | undefined
  #quiet: () => Promise<void> = () => Promise.resolve()
  #handover: ((summary: string | undefined) => Handover) | undefined
  readonly #left = Promise.withResolvers<void>()
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
    this.variables = deps.variables
    this.correlationId = deps.correlationId
    this.sessionId = deps.sessionId ?? deps.call.assistants.nextSessionId(deps.call.id)
    this.transferredFrom = deps.transferredFrom
    this.over = deps.call.over
    this.#deps = deps
    this.#state = deps.pickUp ? 'offered' : 'talking'
    this.party = new AssistantParty({
      id: deps.partyId,
      accountId: this.accountId,
      sees: { ...seenBy(deps), sessionId: this.sessionId },
      number: (this.direction === 'inbound' ? deps.to : deps.from) ?? '',
      language: (deps.flow.settings.language ?? deps.account.locale).slice(0, 2),
      person: deps.person,
      waits: (value) => this.#notify(value),
      transfer: (input) => this.#transferForUser(input),
      quiet: () => atMost(deps.context.clock, maxSentenceMs, this.#quiet(), undefined),
    })
  }

  /** `offered`: not answered yet. `out`: the call was transferred away from the assistant. */
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

  beforeTransfer(make: (summary: string | undefined) => Handover): void {
    this.#handover = make
  }

  /** The session is over. */
  leaves(): void {
    this.#left.resolve()
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

  /** Rejects forbidden transfers before anything changes; the caller does not notice. */
  async transfer(to: string, input: FlowTransfer): Promise<'taken' | Cause> {
    const { context } = this.#deps
    if (this.#cannotTransfer) return this.#cannotTransfer
    const ownNumber = this.direction === 'inbound' ? this.#deps.to : this.#deps.from
    const aim = await context.tasks.track(assistantRingTarget(context, { ...this.#deps, to, ...input, ownNumber }))
    if (typeof aim === 'string') return aim
    return this.#cannotTransfer ?? this.#replaceItself(aim, input.summary)
  }

  get #cannotTransfer(): Cause | undefined {
    const { call, person } = this.#deps
    return this.#state === 'talking' ? assistantTransferRejection(call, person) : 'not_acceptable'
  }

  #replaceItself(aim: DialTarget, summary: string | undefined): Promise<'taken' | Cause> {
    const { call } = this.#deps
    const { promise, resolve } = Promise.withResolvers<'taken' | Cause>()
    const outcome = { failureCounts: true, done: () => resolve('taken'), failed: resolve }
    call.track(this.#replace(outcome, () => Promise.resolve(aim), summary))
    return Promise.race([promise, call.over.then((): Cause => 'normal')])
  }

  /** Allows what the account may call, not what the assistant may. The assistant keeps talking until the target rings. */
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
    summary?: string,
  ): Promise<void> {
    const { context, call, person: waiting } = this.#deps
    call.assistants.handover = this.#handedOver(summary)
    const done = (plan: Plan): void => {
      this.#leave(plan)
      outcome.done(plan)
    }
    const role = this.direction === 'inbound' ? 'callee' : 'caller'
    const failed = (cause: Cause): void => {
      call.assistants.handover = undefined
      outcome.failed(cause)
    }
    return context.replace(call, { ...outcome, waiting, leaving: undefined, role, done, failed }, aim)
  }

  #handedOver(summary: string | undefined): PendingHandover | undefined {
    const { accountId, direction, from, to, correlationId } = this
    const handover = this.#handover?.(summary)
    return handover && { ...handover, accountId, direction, from, to, correlationId, left: this.#left.promise }
  }

  recordingRule(): ReturnType<FlowCall['recordingRule']> {
    const { context, call } = this.#deps
    return context.tasks.track(call.recordings.ruleOf(this.accountId))
  }

  async record(ask: () => Promise<boolean>): Promise<void> {
    const { call } = this.#deps
    if (this.#state === 'talking' && !call.end) await call.recordings.start(this.accountId, { announcement: false, ask })
  }

  pauseRecording(value: boolean): void {
    this.#deps.call.recordings.pause(this.accountId, value, 'card')
  }

  get asksForConsent(): boolean {
    return this.#deps.call.recordings.asking
  }

  #notify(waits: boolean): void {
    this.#waits = waits
    for (const observer of this.#observers) this.#deps.call.attempt(() => observer(waits))
  }

  /** The call continues without the assistant. */
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

const seenBy = ({ flow, direction, from, to, variables, correlationId }: AssistantCallDeps) => ({
  flowId: flow.id,
  direction,
  from,
  to,
  ...(variables && { variables }),
  ...(correlationId !== undefined && { correlationId }),
})

/** The person, the numbers and the client's name of the call stay the same. */
const asBefore = ({
  direction,
  from,
  to,
  correlationId,
  flow_id,
  session_id,
  language,
  disclosed,
  summary,
  transcript,
}: PendingHandover) => ({
  direction,
  from,
  to,
  correlationId,
  transferredFrom: { flow_id, session_id, language, disclosed, transcript, ...(summary !== undefined && { summary }) },
})

/** Gives the call to an assistant until it is done. One that does not answer leaves the caller unanswered. */
export const runFlow = async (
  search: Search,
  { place, called }: Plan,
  diverted: DiversionHistory,
  { flowId, draft, pretends }: Omit<Extract<Step, { kind: 'flow' }>, 'kind'>,
): Promise<Outcome> => {
  const { call, waiting, context, seenAs } = search
  const accountId = place?.accountId
  if (accountId === undefined || !waiting) return 'unavailable'
  if (call.assistants.had(flowId)) return 'loop'
  const { read } = context.store
  const found = Promise.all([
    read.accounts.find(accountId),
    read.flows.find(accountId, flowId),
    called.startsWith('+') ? read.numbers.findCallable(called) : undefined,
  ])
  const [account, flow, ownNumber] = await context.tasks.track(found)
  if (!account || !flow) return 'unavailable'
  if (call.end) return 'normal'
  const { handover } = call.assistants
  const before = handover?.accountId === accountId ? handover : undefined
  const variables = mergeVariables(ownNumber?.accountId === accountId ? ownNumber.variables : undefined, before?.variables)
  const { number, withheld } = seenAs.outside
  const take = async (assistant: AssistantParty): Promise<void> => {
    search.taken({ kind: 'assistant', assistant })
    call.details.takenBy(accountId, flowId)
    await pickUp(waiting.leg)
    // The other assistant's last words and events come first.
    if (before) await atMost(context.clock, maxLeaveMs, Promise.race([before.left, call.over]), undefined)
  }
  const from = withheld ? undefined : number
  const session = new AssistantCall({
    context,
    call,
    account,
    flow,
    person: waiting,
    ...(before ? asBefore(before) : { direction: 'inbound', from, to: called }),
    variables,
    diverted,
    pickUp: take,
    ...(draft && { draft }),
    ...(pretends && { pretends }),
  })
  await assist(context, call, session, { leg: waiting.leg, flow })
  return session.state === 'offered' ? 'unavailable' : 'taken'
}

/** Runs the assistant. The call ends when it is done, unless it was transferred. */
export const assist = async (
  context: RoutingContext,
  call: Call,
  session: AssistantCall,
  { leg, flow, before }: { leg: Leg; flow: Flow; before?: FlowBefore },
): Promise<void> => {
  await context.flows.run(session, leg, flow, before).finally(() => session.leaves())
  if (session.state === 'talking') call.finish({ by: 'assistant', reason: 'assistant_hangup', cause: 'normal' })
}
