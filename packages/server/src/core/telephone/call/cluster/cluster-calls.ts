import type { ErrorCode } from '@offhook/contract/errors.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { NoAnswer, NoAnswerError, type PeerNodes, type Bus, type Clock, type PeerNode } from '#core/kernel/ports/platform.ts'
import type { Calls, CallStatus } from '../state/calls.ts'
import {
  carryOut,
  longestMs,
  type CallCommand,
  type CommandDeps,
  doneOrThrow,
  type Outcome,
  callSubject,
  listed,
  listSubject,
  type CallQuestion,
  type ListedCalls,
  ownerSubject,
} from './call-command.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { sleep } from '#core/kernel/work/waiting.ts'

interface ClusterCallsDeps extends CommandDeps, AskingDeps {
  peerNodes: Pick<PeerNodes, 'self' | 'others' | 'onGone'>
  /** Nodes whose heartbeat in the store is recent: on the bus, a node that it does not reach is unknown. */
  storedNodes: () => Promise<readonly string[]>
}

/** Milliseconds other nodes may take to list their calls. */
const listMs = 300
/** Milliseconds other nodes may take to find a call by name. */
const findMs = 2_000
/** Milliseconds a command waits for a call that changes nodes: a takeover takes one or two seconds. */
const maxMovingMs = 5_000
const movingPollMs = 100

/** The calls of all nodes: local calls directly, others through their owner. */
export class ClusterCalls {
  readonly #deps: ClusterCallsDeps
  readonly #asking: Asking
  /** Their last heartbeat may still be in the store. */
  readonly #gone = new Set<string>()

  constructor(deps: ClusterCallsDeps) {
    this.#deps = deps
    this.#asking = new Asking(deps)
    deps.peerNodes.onGone(({ owner }) => this.#gone.add(owner))
  }

  /** Calls of this node. */
  get here(): Calls {
    return this.#deps.calls
  }

  /** Established calls of the caller. `silent`: number of nodes that did not reply. */
  async list(caller: UserCaller): Promise<{ calls: CallStatus[]; silent: number }> {
    const { calls, bus, peerNodes } = this.#deps
    const own = listed(calls, peerNodes.self, caller)
    const others = await this.#otherNodes()
    if (others.length === 0 && (bus.alone || bus.connected)) return { calls: merged([own]), silent: 0 }
    if (bus.alone || !bus.connected) return { calls: merged([own]), silent: Math.max(1, others.length) }
    const replies = (await bus.askAll(listSubject, caller, { ms: listMs, expected: others.length + 1 })) as ListedCalls[]
    const theirs = replies.filter(({ owner }) => owner !== own.owner)
    const silent = others.filter((other) => !theirs.some(({ owner }) => owner === other)).length
    return { calls: merged([own, ...theirs]), silent }
  }

  /**
   * Throws the same Problem wherever the call is, and waits while it changes nodes. Runs the command at most once, even without a reply,
   * except a hang-up: a second one changes nothing.
   */
  async command(caller: UserCaller, callId: string, command: CallCommand): Promise<void> {
    const { wallClock } = this.#deps
    const isHangUp = command.op === 'hangUp'
    const codes: readonly ErrorCode[] = isHangUp ? ['call_moving', 'outcome_unknown'] : ['call_moving']
    const waitUntil = wallClock.elapsed() + maxMovingMs
    for (let waited = false; ; waited = true) {
      try {
        return await this.#commandOnce(caller, callId, command)
      } catch (error) {
        const code = error instanceof Problem ? error.code : undefined
        const isLost = waited && code === 'call_not_found'
        // A node that is taking the call over may not know it yet.
        const isMoving = isLost ? await this.#deps.store.read.runningCalls.has(callId) : code !== undefined && codes.includes(code)
        if (isLost && isHangUp && !isMoving) return
        if (!isMoving || wallClock.elapsed() >= waitUntil) throw error
      }
      await sleep(wallClock, movingPollMs)
    }
  }

  #commandOnce(caller: UserCaller, callId: string, command: CallCommand): Promise<void> {
    if (this.#isHere(caller, callId)) return carryOut(this.#deps, caller, callId, command)
    return this.#ask(caller, callId, { command }, longestMs[command.op])
  }

  /** Finds a call by any name known to the caller; undefined also without access to it. */
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

  /** Nodes that live, as the bus or the store knows. */
  async #otherNodes(): Promise<string[]> {
    const { peerNodes, storedNodes } = this.#deps
    const heard = peerNodes.others().map(({ owner }) => owner)
    const stored = await storedNodes().catch(() => undefined)
    for (const owner of this.#gone) if (stored?.includes(owner) === false || heard.includes(owner)) this.#gone.delete(owner)
    return [...new Set([...heard, ...(stored ?? [])])].filter((owner) => owner !== peerNodes.self && !this.#gone.has(owner))
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

  /** The command did not run. A call in the store has an owner, or will have one shortly. */
  async #notReached(callId: string, code: 'unavailable' | 'call_moving'): Promise<Problem> {
    const isThere = await this.#deps.store.read.runningCalls.has(callId)
    return isThere ? new Problem(code, undefined, { retryAfter: 1 }) : new Problem('call_not_found')
  }
}

/** Removes duplicates. Two nodes may list a call that has just moved; the higher epoch wins. */
const merged = (lists: readonly ListedCalls[]): CallStatus[] => {
  const newest = new Map<string, ListedCalls['calls'][number]>()
  for (const { calls } of lists.toSorted((a, b) => a.owner.localeCompare(b.owner)))
    for (const call of calls) if (call.epoch >= (newest.get(call.callId)?.epoch ?? -1)) newest.set(call.callId, call)
  return [...newest.values()].map(({ status }) => status)
}

interface AskingDeps {
  bus: Bus
  peerNodes: Pick<PeerNodes, 'others' | 'onGone'>
  store: Store
  wallClock: Clock
}

/** Time after which the bus server drops the subscriptions of a suspended node. */
const suspiciousMs = 10 * 60_000

/** Sends requests to the node that owns a call. Gives up when that node is gone or the call was taken over. */
class Asking {
  readonly #deps: AskingDeps
  /** Pending requests. */
  readonly #waiting = new Set<{ callId: string; giveUp: () => void }>()
  #suspiciousUntil = -Infinity

  constructor(deps: AskingDeps) {
    this.#deps = deps
    if (deps.bus.alone) return
    deps.bus.onConnection((connected) => {
      if (!connected) for (const { giveUp } of this.#waiting) giveUp()
    })
    deps.peerNodes.onGone((peerNode) => {
      this.#suspiciousUntil = deps.wallClock.elapsed() + suspiciousMs
      for (const one of this.#waiting) void this.#reconsider(one, peerNode)
    })
  }

  /** Rejects with `NoAnswerError` or `NoAnswer`, or when the store is unavailable. `until`: deadline after which the request must not be carried out. */
  async ask(callId: string, question: (until: number) => object, ms: number): Promise<unknown> {
    const { bus, wallClock } = this.#deps
    const subject = await this.#subjectOf(callId)
    const { promise: given, reject } = Promise.withResolvers<never>()
    const waiting = { callId, giveUp: () => reject(new NoAnswer(subject)) }
    this.#waiting.add(waiting)
    try {
      return await Promise.race([bus.ask(subject, question(wallClock.now() + ms), { ms }), given])
    } finally {
      this.#waiting.delete(waiting)
    }
  }

  /** Subject of the call, which needs no lookup. While a suspended node may still be subscribed to it, the subject of the owner in the store. */
  async #subjectOf(callId: string): Promise<string> {
    const { store, wallClock, peerNodes } = this.#deps
    const everybody = callSubject(callId) ?? ''
    if (wallClock.elapsed() > this.#suspiciousUntil) return everybody
    const holder = await store.read.runningCalls.holderOf(callId)
    return holder && peerNodes.others().some(({ owner }) => owner === holder.owner) ? ownerSubject(holder.owner) : everybody
  }

  /** Gives up if that node owned the call, or another node has taken it over since. */
  async #reconsider({ callId, giveUp }: { callId: string; giveUp: () => void }, { owner }: PeerNode): Promise<void> {
    const holder = await this.#deps.store.read.runningCalls.holderOf(callId).catch(() => undefined)
    if (!holder || holder.owner === owner || holder.epoch > 1) giveUp()
  }
}
