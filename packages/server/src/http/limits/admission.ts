import type { Operation } from '@offhook/contract/operation.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { addressBlock } from '#core/kernel/network/address-block.ts'
import { FairQueue, RoundRobin } from '#core/kernel/work/fair-queue.ts'

/** Limits of heavy requests per account: concurrent and waiting. */
export interface HeavyLimits {
  maxReads: number
  maxWaitingReads: number
  /** Fewer: each holds its body in memory, three times at worst. */
  maxWrites: number
  /** Fewer: their bodies are read when their turn comes, and must arrive in time. */
  maxWaitingWrites: number
}

export const usualHeavyLimits: HeavyLimits = { maxReads: 4, maxWaitingReads: 100, maxWrites: 2, maxWaitingWrites: 20 }

const retryAfterSeconds = 1

/** Schedules admitted requests so that no account delays the others. */
export class Admission {
  readonly #turns: LoopTurns
  readonly #reads: FairQueue
  readonly #writes: FairQueue

  constructor(turns: LoopTurns, { maxReads, maxWaitingReads, maxWrites, maxWaitingWrites }: HeavyLimits) {
    this.#turns = turns
    this.#reads = new FairQueue({ maxRunningPerKey: maxReads, maxWaitingPerKey: maxWaitingReads })
    this.#writes = new FairQueue({ maxRunningPerKey: maxWrites, maxWaitingPerKey: maxWaitingWrites })
  }

  /** Calls `begin` when this key has its turn: an account, or the address of a client without one. */
  enter({ heavy, method }: Operation, key: string, response: ServerResponse, begin: () => void): void {
    if (!heavy) return this.#turns.start(key, begin)
    if (response.destroyed) return // the client is gone
    const queue = method === 'GET' ? this.#reads : this.#writes
    const place = queue.enter(key, () => void this.#turns.slice(key).then(begin))
    if (!place) throw new Problem('account_busy', undefined, { retryAfter: retryAfterSeconds })
    response.once('close', () => place.leave())
  }
}

/** Fair-queue key: accounts, all operators together, and clients without a token by address. */
export const turnKey = ({ caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>): string => {
  if (!caller) return addressBlock(ip)
  return caller.kind === 'user' ? caller.accountId : caller.kind
}

/** Small requests take 0.1 to 0.3 ms each. */
const startsPerTurn = 8

/**
 * Yields to the event loop under load: calls, timers and other connections run between two turns. Keys, such as accounts, are served round-robin,
 * regardless of their queue lengths.
 */
export class LoopTurns {
  readonly #slices = new RoundRobin<() => void>()
  readonly #starts = new RoundRobin<() => void>()
  /** Requests started since the last turn of the event loop. */
  #started = 0
  #isScheduled = false

  /** For work of some milliseconds: resolves in a turn of the event loop without another slice. */
  slice(key: string): Promise<void> {
    return new Promise((resolve) => {
      this.#slices.put(key, resolve)
      this.#schedule()
    })
  }

  /** For work under a millisecond: starts immediately, unless this turn is full. */
  start(key: string, begin: () => void): void {
    if (this.#started < startsPerTurn && this.#starts.size === 0) return this.#begin(begin)
    this.#starts.put(key, begin)
    this.#schedule()
  }

  /** Schedules the next turn only when this one is full: most turns have one request, which then costs nothing extra. */
  #begin(begin: () => void): void {
    if (++this.#started === startsPerTurn) this.#schedule()
    begin()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#isScheduled = false
    this.#started = 0
    this.#slices.take()?.()
    for (let begin = this.#starts.take(); begin; begin = this.#started < startsPerTurn ? this.#starts.take() : undefined) this.#begin(begin)
    if (this.#slices.size + this.#starts.size > 0) this.#schedule()
  }
}
