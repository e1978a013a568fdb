import { NoAnswer, type Bus } from '#core/kernel/ports/bus.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { PeerNode, PeerNodes } from '#core/kernel/ports/neighbours.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { callSubject, ownerSubject } from './subjects.ts'

export interface AskingDeps {
  bus: Bus
  neighbours: Pick<PeerNodes, 'others' | 'onGone'>
  store: Store
  wallClock: Clock
}

/** A process that stands still keeps its subscriptions for so long, until the server of the bus gives it up. */
const suspiciousMs = 10 * 60_000

/** Asks the process that has a call. A process that is gone is not waited for, nor one that others have taken the call from. */
export class Asking {
  readonly #deps: AskingDeps
  /** By callId: what is waited for. */
  readonly #waiting = new Set<{ callId: string; giveUp: () => void }>()
  #suspiciousUntil = -Infinity

  constructor(deps: AskingDeps) {
    this.#deps = deps
    if (deps.bus.alone) return
    deps.bus.onConnection((connected) => {
      if (!connected) for (const { giveUp } of this.#waiting) giveUp()
    })
    deps.neighbours.onGone((peerNode) => {
      this.#suspiciousUntil = deps.wallClock.elapsed() + suspiciousMs
      for (const one of this.#waiting) void this.#reconsider(one, peerNode)
    })
  }

  /** Rejects with `NobodyThere` or `NoAnswer`, or when the store is away. `until`: after that it must not be done any more. */
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

  /** Whoever subscribes to the call, which costs nothing to find out; where that may be a process that stands still, whoever has it by the store. */
  async #subjectOf(callId: string): Promise<string> {
    const { store, wallClock, neighbours: peerNodes } = this.#deps
    const everybody = callSubject(callId) ?? ''
    if (wallClock.elapsed() > this.#suspiciousUntil) return everybody
    const holder = await store.read.runningCalls.holderOf(callId)
    return holder && peerNodes.others().some(({ owner }) => owner === holder.owner) ? ownerSubject(holder.owner) : everybody
  }

  /** Its call was that process's, or another one has taken it over since. */
  async #reconsider({ callId, giveUp }: { callId: string; giveUp: () => void }, { owner }: PeerNode): Promise<void> {
    const holder = await this.#deps.store.read.runningCalls.holderOf(callId).catch(() => undefined)
    if (!holder || holder.owner === owner || holder.epoch > 1) giveUp()
  }
}
