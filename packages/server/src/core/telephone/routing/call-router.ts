import type { End, EndReason } from '#core/kernel/ports/call-end.ts'
import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { Call } from '../call/call.ts'
import type { Calls } from '../call/state/calls.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import type { CallContext } from '../call/state/call-context.ts'
import { takenOver } from '../call/state/end.ts'
import type { Resumption } from '../call/takeover/rescue.ts'
import type { CallState } from '../call/state/call-machine.ts'
import { Occupancy } from '../call/state/occupancy.ts'
import { endByFault } from '../call/state/end.ts'
import type { Party } from '../call/state/party.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'
import { Tasks } from '#core/kernel/work/tasks.ts'
import { noGuide, type CallGuide } from '#core/kernel/ports/call-guide.ts'
import type { CallObserver } from '#core/kernel/ports/call-observer.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FaxIntake } from '#core/kernel/ports/fax-intake.ts'
import type { FlowRuntime } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { CallOrder } from '#core/kernel/ports/orders.ts'
import type { CallHold, SavedCall } from '#core/kernel/ports/store/call/running-calls.ts'
import type { Journal } from '#core/kernel/ports/journal.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Cause, IncomingCall, Leg, ResumeOptions, Telephony, TransferAsked } from '#core/kernel/ports/telephony.ts'
import type { MayRecord } from '../recordings/recording-room.ts'
import { transferForUser } from './transfer/api-transfer.ts'
import type { RoutingContext } from './search/routing-context.ts'
import { connectCaller } from './answer/connect-caller.ts'
import { joinCalls, takePlace, type PartyInCall } from './transfer/join-calls.ts'
import { claimOrder, returnCredit, type PreparedCall } from './originate/orders.ts'
import { Replacement } from './transfer/replacement.ts'
import { readRequest, type Request } from './inbound/request.ts'
import { readCallOrder } from './originate/read-call-order.ts'
import { resume } from './resume/resume-call.ts'
import { readFlowOrder } from './originate/start-flow-call.ts'
import { transferBlind } from './transfer/transfer.ts'

export interface CallRouterDeps {
  store: Store
  clock: Clock
  telephony: Telephony
  calls: Calls
  flows: FlowRuntime
  /** What accounts' own software wants to become of their calls; no software is asked unless given. */
  guide?: CallGuide
  recordingFiles: RecordingFiles
  /** Made here, because it writes with the same care as calls do. */
  faxes: (books: RecordWriter) => FaxIntake
  mayRecord: MayRecord
  /** Where the installation is: how carriers' national numbers are read. */
  country: string
  observers?: readonly CallObserver[]
  /** `refer`: phones that support REFER are asked to call a transfer target by themselves. */
  transferBy?: RoutingContext['transferBy']
  /** Of this process alone, unless given. */
  occupancy?: Occupancy
  /** Undefined where the database cannot be away. */
  journal?: Journal | undefined
  leases: Leases
  timelines: CallContext['timelines']
  /** Something was put into the outbox. */
  wake: () => void
  onFailure: (error: unknown, callId: string) => void
}

/** Takes calls and finds whom they are for. */
export class CallRouter {
  readonly occupancy: Occupancy
  readonly #context: RoutingContext
  readonly #calls = new Set<Call>()
  readonly #taking = new Set<Promise<void>>()
  readonly #orders = new Map<string, Promise<void>>()
  readonly #closing = new AbortController()
  #draining = false

  constructor({ observers = [], transferBy = 'bridge', guide = noGuide, occupancy = new Occupancy(), faxes, ...parts }: CallRouterDeps) {
    this.occupancy = occupancy
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

  /** How many calls there are. */
  get size(): number {
    return this.#calls.size
  }

  /** How far each of them is. */
  get states(): CallState[] {
    return [...this.#calls].map(({ progress }) => progress.state)
  }

  /** Resolves when the call is over and written down; without an end when there was none. */
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

  /** Carries out an order. Resolves when that has begun; an order that is known, here or to another process, is the same order. */
  startCall(order: CallOrder): Promise<void> {
    const { sessionId } = order
    const known = this.#orders.get(sessionId)
    if (known) return known
    const begun = this.#order(order).finally(() => this.#orders.delete(sessionId))
    this.#orders.set(sessionId, begun)
    return begun
  }

  /** Goes on with a call that was claimed from another process. */
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

  /** Another process wants to go on with the call of this leg: how it is held, once everything is written. Undefined when it cannot be given away now. */
  async offer(leg: Leg): Promise<CallHold | undefined> {
    const { call } = this.#partyOf(leg) ?? {}
    if (call?.progress.state !== 'active') return undefined
    call.books.changed()
    await call.books.saved()
    return call.books.written && !call.end ? call.books.hold : undefined
  }

  /** Another process has the call now: it is dropped without a word. */
  async release(callId: string): Promise<void> {
    for (const call of this.#calls) if (call.id === callId && !(await call.books.stillOurs())) call.finish(takenOver)
  }

  /** This process stood still, or was cut off: others may have taken calls of it. Those are dropped without a word. */
  async review(): Promise<void> {
    await Promise.all([...this.#calls].map(async (call) => (await call.books.stillOurs()) || call.finish(takenOver)))
  }

  get calls(): readonly Call[] {
    return [...this.#calls]
  }

  /** No new calls are taken, nor those of others. */
  get draining(): boolean {
    return this.#draining
  }

  /** From now on only emergency calls are made, or all calls again; calls that run go on. */
  drain(value = true): void {
    this.#draining = value
  }

  /** Resolves when every call is over, paid for and in the history. Phones are told, but not waited for. */
  async hangUpAll(reason: EndReason = 'service_shutdown'): Promise<void> {
    this.drain()
    this.#closing.abort()
    for (const call of this.#calls) call.finish(shutdown(reason))
    await Promise.all([...this.#taking, ...[...this.#calls].map(({ written }) => written)])
  }

  /** Nothing is being looked up or written at this moment. */
  idle(): Promise<void> {
    return this.#context.tasks.idle()
  }

  async #take(incoming: IncomingCall): Promise<End | undefined> {
    const { store, tasks, country, clock } = this.#context
    const { leg, replaces } = incoming
    const startedAt = clock.now()
    if (this.#rejects(incoming.origin.kind === 'device')) return reject(leg, 'overloaded')
    if (replaces) {
      const there = this.#partyOf(replaces)
      if (!there) return reject(leg, 'not_found')
      await takePlace(this.#context, incoming, there)
      return undefined
    }
    const request = await tasks.track(readRequest(store.read, country, incoming))
    if (!request) return reject(leg, 'forbidden')
    if (this.#rejects(isEmergencyCall(request))) return reject(leg, 'overloaded')
    const call = new Call(this.#context, { ...incoming, from: request.caller.identity, to: request.called, startedAt })
    call.admit(request.caller)
    await this.#carry(call, () => connectCaller(this.#context, call, request, incoming))
    return call.end
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

  /** Undefined when another process carries it out. */
  async #read(order: CallOrder, claimant: string): Promise<PreparedCall | undefined> {
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

  /** While draining only emergency calls get through; when everything is being hung up, none. */
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

/** There is no call that could end. */
const reject = async (leg: Leg, cause: Cause): Promise<undefined> => {
  await leg.hangUp(cause)
}

const isEmergencyCall = ({ destination }: Request): boolean => typeof destination !== 'string' && destination.kind === 'emergency'
