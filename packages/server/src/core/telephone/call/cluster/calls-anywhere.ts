import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { NoAnswer, NoAnswerError } from '#core/kernel/ports/bus.ts'
import type { PeerNodes } from '#core/kernel/ports/neighbours.ts'
import type { Calls, CallStatus } from '../state/calls.ts'
import { carryOut, longestMs, type CallCommand, type CommandDeps } from './call-command.ts'
import { Asking, type AskingDeps } from './asking.ts'
import { doneOrThrow, type Outcome } from './outcome.ts'
import { callSubject, listed, listSubject, type CallQuestion, type ListedCalls } from './subjects.ts'

export interface ClusterCallsDeps extends CommandDeps, AskingDeps {
  neighbours: Pick<PeerNodes, 'self' | 'others' | 'onGone'>
}

/** How long others may take to say which calls they have. */
const listMs = 300
/** The same for a name that a call is known by. */
const findMs = 2_000

/** The calls of all processes, whichever is asked: a call of this one at once, others where they are. */
export class ClusterCalls {
  readonly #deps: ClusterCallsDeps
  readonly #asking: Asking

  constructor(deps: ClusterCallsDeps) {
    this.#deps = deps
    this.#asking = new Asking(deps)
  }

  /** Those of this process. */
  get here(): Calls {
    return this.#deps.calls
  }

  /** Established calls of the caller. `silent`: how many processes are there that did not say which they have. */
  async list(caller: UserCaller): Promise<{ calls: CallStatus[]; silent: number }> {
    const { calls, bus, neighbours: peerNodes } = this.#deps
    const own = listed(calls, peerNodes.self, caller)
    const others = peerNodes.others()
    if (bus.alone || (bus.connected && others.length === 0)) return { calls: merged([own]), silent: 0 }
    if (!bus.connected) return { calls: merged([own]), silent: Math.max(1, others.length) }
    const replies = (await bus.askAll(listSubject, caller, { ms: listMs, expected: others.length + 1 })) as ListedCalls[]
    const theirs = replies.filter(({ owner }) => owner !== own.owner)
    const silent = others.filter(({ owner }) => !theirs.some((reply) => reply.owner === owner)).length
    return { calls: merged([own, ...theirs]), silent }
  }

  /** Throws the same Problem wherever the call is. It is done at most once, also when no reply comes. */
  command(caller: UserCaller, callId: string, command: CallCommand): Promise<void> {
    if (this.#isHere(caller, callId)) return carryOut(this.#deps, caller, callId, command)
    return this.#ask(caller, callId, { command }, longestMs[command.op])
  }

  /** By any name that the caller knows it by; undefined also when it is none of the caller's. */
  async find(caller: UserCaller, name: string): Promise<{ callId: string } | undefined> {
    const { calls } = this.#deps
    if (this.#isHere(caller, name)) return calls.find(caller, name)
    try {
      return await this.#ask<{ callId: string }>(caller, name, {}, findMs)
    } catch (error) {
      if (error instanceof Problem) return undefined
      throw error
    }
  }

  #isHere({ accountId }: UserCaller, callId: string): boolean {
    const { bus, calls } = this.#deps
    return bus.alone || calls.has(accountId, callId)
  }

  async #ask<T>(caller: UserCaller, callId: string, what: { command?: CallCommand }, ms: number): Promise<T> {
    const { bus } = this.#deps
    if (callSubject(callId) === undefined) throw new Problem('call_not_found')
    if (!bus.connected) throw await this.#notReached(callId, 'unavailable')
    const question = (until: number): CallQuestion => ({ caller, callId, ...what, until })
    try {
      return doneOrThrow((await this.#asking.ask(callId, question, ms)) as Outcome<T>)
    } catch (error) {
      if (error instanceof NoAnswerError) throw await this.#notReached(callId, 'call_moving')
      if (error instanceof NoAnswer) throw new Problem('outcome_unknown')
      throw error
    }
  }

  /** Nothing was done. A call that is in the store has an owner, or will have one in a moment. */
  async #notReached(callId: string, code: 'unavailable' | 'call_moving'): Promise<Problem> {
    const isThere = await this.#deps.store.read.runningCalls.has(callId)
    return isThere ? new Problem(code, undefined, { retryAfter: 1 }) : new Problem('call_not_found')
  }
}

/** Each call once. One that has just moved may be told of by two processes: the later owner knows better. */
const merged = (lists: readonly ListedCalls[]): CallStatus[] => {
  const newest = new Map<string, ListedCalls['calls'][number]>()
  for (const { calls } of lists.toSorted((a, b) => a.owner.localeCompare(b.owner)))
    for (const call of calls) if (call.epoch >= (newest.get(call.callId)?.epoch ?? -1)) newest.set(call.callId, call)
  return [...newest.values()].map(({ status }) => status)
}
