import { nearest } from '#core/kernel/peer-nodes/takers.ts'
import { NoAnswerError, type Bus } from '#core/kernel/ports/platform.ts'
import type { PeerNode, PeerNodes } from '#core/kernel/ports/platform.ts'
import type { CallHold } from '#core/kernel/ports/store/call.ts'
import { snapshotVersion } from '../records/snapshot.ts'
import type { Possession } from '../records/running-call-record.ts'
import { takenOver } from '../state/end.ts'
import type { End } from '#core/kernel/ports/calls.ts'

/** Calls handed over concurrently. */
const concurrency = 20
/** Milliseconds for two phones, one of which may need a retry. */
const maxMs = 15_000

interface TransferableCall {
  readonly id: string
  readonly end: End | undefined
  readonly books: { possession(): Promise<Possession> }
  beginHandOver(): Promise<CallHold | undefined>
  keep(): void
  finish(end: End): void
}

interface HandOverDeps {
  bus: Pick<Bus, 'ask' | 'answer'>
  peerNodes: Pick<PeerNodes, 'living'>
  /** Region of this node. */
  region?: string | undefined
  calls: () => readonly TransferableCall[]
  onFailure: (error: unknown, callId: string) => void
}

/** Subject on which a node accepts calls handed over to it. */
export const takesCalls = (owner: string): string => `take.${owner}`
/** Subject on which the new node reports that the phones of a call have agreed. */
export const handing = (callId: string): string => `handing.${callId}`

/** Hands the calls of this node over to others, so that it can stop without ending them. */
export class HandOver {
  readonly #deps: HandOverDeps
  #turn = 0

  constructor(deps: HandOverDeps) {
    this.#deps = deps
  }

  /** Offers each call once. Returns the number handed over; calls that cannot be resumed elsewhere stay. */
  async all(): Promise<number> {
    const waiting = [...this.#deps.calls()]
    let given = 0
    const give = async (): Promise<void> => {
      for (let call = waiting.shift(); call; call = waiting.shift()) if (await this.#give(call)) given++
    }
    await Promise.all(Array.from({ length: concurrency }, give))
    return given
  }

  /** Round robin, starting with the node with the fewest calls; only nodes that can read our snapshots, preferably of this region. */
  #target(): PeerNode | undefined {
    const { peerNodes, region } = this.#deps
    const readers = peerNodes.living().filter(({ snapshots }) => snapshots >= snapshotVersion)
    const able = nearest(readers, region)
    return able.toSorted((a, b) => a.calls - b.calls)[this.#turn++ % Math.max(able.length, 1)]
  }

  async #give(call: TransferableCall): Promise<boolean> {
    const to = this.#target()
    const hold = to && (await call.beginHandOver().catch((error: unknown) => this.#deps.onFailure(error, call.id)))
    if (!to || !hold) return false
    const stop = this.#deps.bus.answer(handing(call.id), () => {
      call.finish(takenOver)
      return true
    })
    try {
      const taken = await this.#offer(to, hold, call)
      if (taken) call.finish(takenOver)
      else call.keep()
      return taken
    } finally {
      stop()
    }
  }

  /** Without a confirmation the store decides: the other node may have ended the call. */
  async #offer({ owner }: PeerNode, hold: CallHold, call: TransferableCall): Promise<boolean> {
    const { bus, onFailure } = this.#deps
    try {
      const { taken } = (await bus.ask(takesCalls(owner), hold, { ms: maxMs })) as { taken: boolean }
      if (taken) return true
    } catch (error) {
      if (error instanceof NoAnswerError) return false
      onFailure(error, call.id)
    }
    return (await call.books.possession().catch(() => 'ours')) !== 'ours'
  }
}
