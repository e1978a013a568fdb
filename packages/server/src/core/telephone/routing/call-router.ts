import type { End, EndReason, CallObserver, CallOrder } from '#core/kernel/ports/calls.ts'
import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { Call } from '../call/call.ts'
import type { Calls } from '../call/state/calls.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import type { CallContext } from '../call/state/call-context.ts'
import { askedElsewhere, takenOver } from '../call/state/end.ts'
import type { EdgeAttempts } from './inbound/edge-attempts.ts'
import type { Resumption } from '../call/takeover/call-takeover.ts'
import type { CallState } from '../call/state/call-progress.ts'
import { Occupancy } from '../call/state/occupancy.ts'
import { endByFault } from '../call/state/end.ts'
import type { Party } from '../call/state/party.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'
import { Tasks } from '#core/kernel/work/worker.ts'
import { noGuide, type CallGuide } from '#core/kernel/ports/calls.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { FaxIntake } from '#core/kernel/ports/messages.ts'
import type { FlowRuntime } from '#core/kernel/ports/assistant.ts'
import type { CallHold, SavedCall } from '#core/kernel/ports/store/call.ts'
import type { Journal, Store } from '#core/kernel/ports/store/index.ts'
import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import type { Cause, EdgeAttempt, IncomingCall, Leg, ResumeOptions, Telephony, TransferAsked } from '#core/kernel/ports/telephony.ts'
import type { MayRecord } from '../recordings/recording-room.ts'
import { transferForUser } from './transfer/api-transfer.ts'
import type { RoutingContext } from './search/routing-context.ts'
import { connectCaller } from './answer/connect-caller.ts'
import { joinCalls, takePlace, type PartyInCall, transferBlind } from './transfer/transfer.ts'
import { claimOrder, returnCredit, type PreparedCall } from './originate/orders.ts'
import { Replacement } from './transfer/replacement.ts'
import { readRequest, type Request } from './inbound/request.ts'
import { withEmergencyCaller } from './emergency-caller.ts'
import { readCallOrder } from './originate/read-call-order.ts'
import { resume } from './resume-call.ts'
import { readFlowOrder } from './originate/start-flow-call.ts'

interface CallRouterDeps {
  store: Store
  clock: Clock
  telephony: Telephony
  calls: Calls
  flows: FlowRuntime
  /** Seconds after which a rejected order may be repeated, if the machine is overloaded. Default: never. */
  rejects?: (isEmergency: () => boolean) => number | undefined
  /** Asks the accounts' webhooks how to handle calls. Default: no webhooks. */
  guide?: CallGuide
  recordingFiles: RecordingFiles
  /** Created here because it shares the record writer of calls. */
  faxes: (books: RecordWriter) => FaxIntake
  mayRecord: MayRecord
  /** Country of the installation, for carriers' national numbers. */
  country: string
  observers?: readonly CallObserver[]
  /** `refer`: asks phones that support REFER to call the transfer target themselves. */
  transferBy?: RoutingContext['transferBy']
  /** Default: of this node alone. */
  occupancy?: Occupancy
  /** Undefined for databases that cannot be unavailable. */
  journal?: Journal | undefined
  credit?: CallContext['credit']
  /** Undefined without other nodes. */
  attempts?: EdgeAttempts | undefined
  leases: Leases
  timelines: CallContext['timelines']
  /** Called after a message was added to the outbox. */
  wake: () => void
  onFailure: (error: unknown, callId: string) => void
}

/** Accepts calls and routes them. */
export class CallRouter {
  readonly occupancy: Occupancy
  readonly #context: RoutingContext
  readonly #calls = new Set<Call>()
  readonly #taking = new Set<Promise<void>>()
  readonly #orders = new Map<string, Promise<void>>()
  readonly #closing = new AbortController()
  readonly #overloadRejects: NonNullable<CallRouterDeps['rejects']>
  readonly #attempts: EdgeAttempts | undefined
  readonly #stopListening: () => void
  #draining = false

  constructor({
    observers = [],
    transferBy = 'bridge',
    guide = noGuide,
    occupancy = new Occupancy(),
    faxes,
    rejects,
    attempts,
    ...parts
  }: CallRouterDeps) {
    this.#overloadRejects = rejects ?? (() => undefined)
    this.occupancy = occupancy
    this.#attempts = attempts
    this.#stopListening = attempts?.listen((attempt) => this.#giveUp(attempt)) ?? (() => {})
    const books = { ...parts, tasks: new Tasks(), closing: this.#closing.signal }
    this.#context = {
      ...books,
      observers,
      guide,
      faxes: faxes(books),
      occupancy,
      turns: new Map(),
      onTransferAsked: (call, party, asked) => this.#transfer(call, party, asked),
      transfer: (call, input) => transferForUser(this.#context, call, input),
      transferBy,
      replace: (call, options, aim) => new Replacement(this.#context, call, options).run(aim),
    }
  }

  /** Number of calls. */
  get size(): number {
    return this.#calls.size
  }

  /** State of each call. */
  get states(): CallState[] {
    return [...this.#calls].map(({ progress }) => progress.state)
  }

  /** Resolves when the call has ended and is written; undefined when no call was created. */
  incoming(incoming: IncomingCall): Promise<End | undefined> {
    const { leg } = incoming
    const taken = this.#take(incoming).catch(async (error: unknown) => {
      this.#context.onFailure(error, leg.id)
      await leg.hangUp(endByFault(error).cause)
      return undefined
    })
    this.#attend(taken, leg.id)
    return taken
  }

  /** Originates a call. Resolves when that has begun; a session id known here or on another node is the same request. */
  startCall(order: CallOrder): Promise<void> {
    const { sessionId } = order
    const known = this.#orders.get(sessionId)
    if (known) return known
    const begun = this.#order(order).finally(() => this.#orders.delete(sessionId))
    this.#orders.set(sessionId, begun)
    return begun
  }

  /** Resumes a call claimed from another node. */
  resume(saved: SavedCall, aliveAt: number, options?: ResumeOptions): Promise<Resumption> {
    const going = this.#resume(saved, aliveAt, options)
    this.#attend(going, saved.callId)
    return going
  }

  async #resume(saved: SavedCall, aliveAt: number, options: ResumeOptions | undefined): Promise<Resumption> {
    const taken = await resume(this.#context, saved, aliveAt, options)
    if (!('call' in taken)) return taken
    const { call, work } = taken
    this.#attend(this.#carry(call, work), call.id)
    if (this.#closing.signal.aborted) call.finish(shutdown('service_shutdown'))
    return { goesOn: true }
  }

  /** Hold of this leg's call for another node, once all changes are written. Undefined when the call cannot be handed over now. */
  async offer(leg: Leg): Promise<CallHold | undefined> {
    const { call } = this.#partyOf(leg) ?? {}
    if (call?.progress.state !== 'active') return undefined
    call.books.changed()
    await call.books.saved()
    return call.books.written && !call.end ? call.books.hold : undefined
  }

  /** Drops a call another node owns now, without signalling. */
  async release(callId: string): Promise<void> {
    for (const call of this.#calls) if (call.id === callId && !(await call.books.stillOurs())) call.finish(takenOver)
  }

  /**
   * After an interruption: drops calls other nodes have taken or ended, without signalling. `held`: calls of this node as the store has just
   * said; the others are looked up one by one. Returns the number of dropped calls.
   */
  async review(held: readonly CallHold[] = []): Promise<number> {
    const epochs = new Map(held.map(({ callId, epoch }) => [callId, epoch]))
    const unsure = [...this.#calls].filter(({ books }) => epochs.get(books.hold.callId) !== books.hold.epoch)
    const dropped = await Promise.all(unsure.map(async (call) => (await call.books.possession()) !== 'ours' && this.#drop(call)))
    return dropped.filter(Boolean).length
  }

  /** Another node reports that it has taken these calls. */
  lose(taken: readonly Pick<CallHold, 'callId' | 'epoch'>[]): void {
    const epochs = new Map(taken.map(({ callId, epoch }) => [callId, epoch]))
    for (const call of this.#calls) if ((epochs.get(call.id) ?? 0) > call.books.hold.epoch) this.#drop(call)
  }

  #drop(call: Call): true {
    call.finish(takenOver)
    return true
  }

  get calls(): readonly Call[] {
    return [...this.#calls]
  }

  /** True while new calls and takeovers are rejected. */
  get draining(): boolean {
    return this.#draining
  }

  /** Starts or stops draining: running calls continue, new ones are rejected except emergency calls. */
  drain(value = true): void {
    this.#draining = value
  }

  /** Resolves when every call has ended, is charged and in the history. Does not wait for the phones. */
  async hangUpAll(reason: EndReason = 'service_shutdown'): Promise<void> {
    this.drain()
    this.#stopListening()
    this.#closing.abort()
    for (const call of this.#calls) call.finish(shutdown(reason))
    await Promise.all([...this.#taking, ...[...this.#calls].map(({ written }) => written)])
  }

  /** Resolves when no lookup or write is pending. */
  idle(): Promise<void> {
    return this.#context.tasks.idle()
  }

  async #take(incoming: IncomingCall): Promise<End | undefined> {
    const { store, tasks, country, clock } = this.#context
    const { leg, replaces, attempt } = incoming
    const startedAt = clock.now()
    this.#attempts?.announce(attempt)
    if (this.#rejects(incoming.origin.kind === 'device')) return reject(leg, 'overloaded')
    if (replaces) {
      const there = this.#partyOf(replaces)
      if (!there) return reject(leg, 'not_found')
      await takePlace(this.#context, incoming, there)
      return undefined
    }
    const read = await tasks.track(readRequest(store.read, country, incoming))
    if (!read) return reject(leg, 'forbidden')
    const request = await tasks.track(withEmergencyCaller(this.#context, read))
    if (this.#rejects(isEmergencyCall(request)) || this.#attempts?.isOutdated(attempt)) return reject(leg, 'overloaded')
    const call = new Call(this.#context, { ...incoming, from: request.caller.identity, to: request.called, startedAt })
    call.admit(request.caller)
    await this.#carry(call, () => connectCaller(this.#context, call, request, incoming))
    return call.end
  }

  /** Another node was asked for these calls. */
  #giveUp({ edgeCall, number }: EdgeAttempt): void {
    for (const call of this.#calls) {
      const { edgeAttempt: ours, answeredAt } = call
      if (ours?.edgeCall === edgeCall && ours.number < number && answeredAt === undefined) call.finish(askedElsewhere)
    }
  }

  async #order(order: CallOrder): Promise<void> {
    const claimant = randomUUID()
    const prepared = await this.#read(order, claimant).catch(async (error: unknown) => {
      await returnCredit(this.#context, order, claimant)
      throw error
    })
    if (!prepared) return
    const call = new Call(this.#context, { id: order.sessionId, from: prepared.from, to: prepared.to, trace: order.trace })
    const carried = this.#carry(call, () => prepared.carry(call))
    this.#attend(carried, call.id)
  }

  /** Undefined when another node carries it out. */
  async #read(order: CallOrder, claimant: string): Promise<PreparedCall | undefined> {
    const retryAfter = this.#overloadRejects(() => order.callee.kind === 'emergency')
    if (retryAfter !== undefined) throw new Problem('unavailable', 'The machine is overloaded. Try again in a few seconds.', { retryAfter })
    const money = await claimOrder(this.#context, order, claimant)
    const read = order.caller.kind === 'flow' ? readFlowOrder : readCallOrder
    const prepared = money && (await this.#context.tasks.track(read(this.#context, order, money)))
    if (prepared && this.#rejects(order.callee.kind === 'emergency'))
      throw new Problem('unavailable', 'This process is being drained and starts no more calls.')
    return prepared
  }

  #attend(work: Promise<unknown>, id: string): void {
    const attended = work.catch((error: unknown) => this.#context.onFailure(error, id)).then(() => void this.#taking.delete(attended))
    this.#taking.add(attended)
  }

  /** While draining only emergency calls pass; during shutdown none. */
  #rejects(mayBeEmergency: boolean): boolean {
    return this.#closing.signal.aborted || (this.#draining && !mayBeEmergency)
  }

  async #carry(call: Call, work: () => Promise<void>): Promise<void> {
    this.#calls.add(call)
    const written = call.written.finally(() => this.#calls.delete(call))
    try {
      await work()
    } catch (error) {
      call.fail(error)
    }
    await written
  }

  #partyOf(leg: Leg): PartyInCall | undefined {
    for (const call of this.#calls) {
      const party = call.parties.find((one) => one.leg === leg)
      if (party) return { call, party }
    }
    return undefined
  }

  #transfer(call: Call, party: Party, asked: TransferAsked): void {
    const { to } = asked
    if ('dialled' in to)
      return call.track(transferBlind(this.#context, call, party, asked, to.dialled).catch((error: unknown) => call.fail(error)))
    const there = this.#partyOf(to.leg)
    if (!there) return asked.failed('not_found')
    try {
      joinCalls({ call, party }, there, asked)
    } catch (error) {
      call.fail(error)
      there.call.fail(error)
    }
  }
}

const shutdown = (reason: EndReason): End => ({ by: 'service', reason, cause: 'normal' })

/** Rejects the leg without creating a call. */
const reject = async (leg: Leg, cause: Cause): Promise<undefined> => {
  await leg.hangUp(cause)
}

const isEmergencyCall = ({ destination }: Request): boolean => typeof destination !== 'string' && destination.kind === 'emergency'
