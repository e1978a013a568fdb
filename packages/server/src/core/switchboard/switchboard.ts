import { Call } from '../call/call.ts'
import type { Calls } from '../call/calls.ts'
import { endBySearch, serviceFailure, type EndReason } from '../call/end.ts'
import { Occupancy } from '../call/occupancy.ts'
import type { Party } from '../call/party.ts'
import { Tasks } from '../call/tasks.ts'
import type { CallObserver } from '../ports/call-observer.ts'
import type { Clock } from '../ports/clock.ts'
import type { FlowRuntime } from '../ports/flow-runtime.ts'
import type { Store } from '../ports/store/index.ts'
import type { IncomingCall, Leg, Telephony, TransferAsked } from '../ports/telephony.ts'
import type { Board } from './board.ts'
import { follow } from './follow.ts'
import { joinCalls, takePlace, type Seat } from './join-calls.ts'
import { planDestination } from './plan-destination.ts'
import { mostHops, type Outcome } from './plan.ts'
import { readRequest, type Request } from './request.ts'
import { Search } from './search.ts'
import { transferBlind } from './transfer.ts'

export interface SwitchboardParts {
  store: Store
  clock: Clock
  telephony: Telephony
  calls: Calls
  flows: FlowRuntime
  /** Where the installation is: how carriers' national numbers are read. */
  country: string
  observers?: readonly CallObserver[]
  onFailure: (error: unknown, callId: string) => void
}

/** Takes calls and finds whom they are for. */
export class Switchboard {
  readonly #board: Board
  readonly #calls = new Set<Call>()
  readonly #taking = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  #draining = false

  constructor({ observers = [], ...parts }: SwitchboardParts) {
    this.#board = {
      ...parts,
      observers,
      occupancy: new Occupancy(),
      tasks: new Tasks(),
      turns: new Map(),
      closing: this.#closing.signal,
      onTransfer: (call, party, asked) => this.#transfer(call, party, asked),
    }
  }

  /** How many calls there are. */
  get size(): number {
    return this.#calls.size
  }

  incoming(incoming: IncomingCall): void {
    const taking = this.#take(incoming)
      .catch((error: unknown) => {
        this.#board.onFailure(error, incoming.leg.id)
        return incoming.leg.hangUp('failed')
      })
      .catch((error: unknown) => this.#board.onFailure(error, incoming.leg.id))
      .finally(() => this.#taking.delete(taking))
    this.#taking.add(taking)
  }

  /** From now on only the rescue services are called; calls that run go on. */
  drain(): void {
    this.#draining = true
  }

  /** Resolves when every call is over, paid for and in the history. Phones are told, but not waited for. */
  async hangUpAll(reason: EndReason = 'service_shutdown'): Promise<void> {
    this.drain()
    this.#closing.abort()
    for (const call of this.#calls) call.finish({ by: 'service', reason, cause: 'normal' })
    await Promise.all([...this.#taking, ...[...this.#calls].map(({ written }) => written)])
  }

  /** Nothing is being looked up or written at this moment. */
  idle(): Promise<void> {
    return this.#board.tasks.idle()
  }

  async #take(incoming: IncomingCall): Promise<void> {
    const { store, tasks, country } = this.#board
    const { leg, replaces } = incoming
    if (this.#refuses(incoming.origin.kind === 'device')) return leg.hangUp('overloaded')
    if (replaces) {
      const seat = this.#seatOf(replaces)
      return seat ? takePlace(this.#board, incoming, seat) : leg.hangUp('not_found')
    }
    const request = await tasks.track(readRequest(store.read, country, incoming))
    if (!request) return leg.hangUp('forbidden')
    if (this.#refuses(isEmergencyCall(request))) return leg.hangUp('overloaded')
    await this.#carry(request, incoming)
  }

  /** While draining only emergency calls get through; when everything is being hung up, none. */
  #refuses(mayBeEmergency: boolean): boolean {
    return this.#closing.signal.aborted || (this.#draining && !mayBeEmergency)
  }

  async #carry(request: Request, incoming: IncomingCall): Promise<void> {
    const call = new Call(this.#board, request.caller, request.called)
    this.#calls.add(call)
    const written = call.written.finally(() => this.#calls.delete(call))
    try {
      this.#open(call, request)
      await this.#connect(call, request, incoming)
    } catch (error) {
      call.fail(error)
    }
    await written
  }

  #open(call: Call, { own, seenAs, called }: Request): void {
    if (own) {
      const { number, name } = seenAs.inside
      const source = { number: number ?? own.desk.deviceId, alias: name }
      call.story.outgoing(own.desk, { source, target: { number: called, alias: '' }, connections: own.lines })
      call.show(own.desk.accountId)
    }
    call.tell('started')
  }

  async #connect(call: Call, { caller, seenAs, destination, own }: Request, { diversions, hops }: IncomingCall): Promise<void> {
    const search = new Search(this.#board, call, {
      waiting: caller,
      asking: own?.desk,
      seenAs,
      onTaken: (by) => call.answered(by),
    })
    const outcome = await this.#find(search, destination, { own, trail: { diversions, hops } })
    if (outcome === 'taken') return
    call.finish(search.faulty && outcome === 'failed' ? serviceFailure : endBySearch(outcome))
  }

  async #find(
    search: Search,
    destination: Request['destination'],
    { own, trail }: Pick<Request, 'own'> & { trail: { diversions: readonly string[]; hops: number } },
  ): Promise<Outcome> {
    if (typeof destination === 'string') return destination
    if (trail.hops > mostHops && destination.kind !== 'emergency') return 'loop'
    const { store, tasks } = this.#board
    const plan = await tasks.track(planDestination(store.read, destination, own?.account, search.circumstances))
    return follow(search, plan, trail, search.until)
  }

  #seatOf(leg: Leg): Seat | undefined {
    for (const call of this.#calls) {
      const party = call.parties.find((one) => one.leg === leg)
      if (party) return { call, party }
    }
    return undefined
  }

  #transfer(call: Call, party: Party, asked: TransferAsked): void {
    const { to } = asked
    if ('dialled' in to)
      return call.alongside(transferBlind(this.#board, call, party, asked, to.dialled).catch((error: unknown) => call.fail(error)))
    const there = this.#seatOf(to.leg)
    if (!there) return asked.failed('not_found')
    try {
      joinCalls({ call, party }, there, asked)
    } catch (error) {
      call.fail(error)
      there.call.fail(error)
    }
  }
}

const isEmergencyCall = ({ destination }: Request): boolean => typeof destination !== 'string' && destination.kind === 'emergency'
