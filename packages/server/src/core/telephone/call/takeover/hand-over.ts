import { NoAnswerError, type Bus } from '#core/kernel/ports/bus.ts'
import type { PeerNode, PeerNodes } from '#core/kernel/ports/neighbours.ts'
import type { CallHold } from '#core/kernel/ports/store/call/running-calls.ts'
import { snapshotVersion } from '../records/course.ts'
import type { Possession } from '../records/open-books.ts'
import { takenOver } from '../state/end.ts'
import type { End } from '#core/kernel/ports/call-end.ts'

/** Calls that are handed over at once. */
const concurrency = 20
/** Two phones are asked, one of which may have to be asked twice. */
const maxMs = 15_000

/** A call that can be given away. */
export interface TransferableCall {
  readonly id: string
  readonly end: End | undefined
  readonly books: { possession(): Promise<Possession> }
  beginHandOver(): Promise<CallHold | undefined>
  keep(): void
  finish(end: End): void
}

export interface HandOverDeps {
  bus: Pick<Bus, 'ask' | 'answer'>
  neighbours: Pick<PeerNodes, 'others'>
  calls: () => readonly TransferableCall[]
  onFailure: (error: unknown, callId: string) => void
}

/** Where a process takes calls that are handed over to it … */
export const takesCalls = (owner: string): string => `take.${owner}`
/** … and where it says that the phones of one agreed. */
export const handing = (callId: string): string => `handing.${callId}`

/** Gives the calls of this process to others, so that it can end without ending them. */
export class HandOver {
  readonly #deps: HandOverDeps
  #turn = 0

  constructor(deps: HandOverDeps) {
    this.#deps = deps
  }

  /** Each is offered once. Gives how many went; those that cannot go on elsewhere stay. */
  async all(): Promise<number> {
    const waiting = [...this.#deps.calls()]
    let given = 0
    const give = async (): Promise<void> => {
      for (let call = waiting.shift(); call; call = waiting.shift()) if (await this.#give(call)) given++
    }
    await Promise.all(Array.from({ length: concurrency }, give))
    return given
  }

  /** In turns, beginning with the one that has the fewest calls; only those that can read what we write. */
  #target(): PeerNode | undefined {
    const able = this.#deps.neighbours.others().filter(({ draining, snapshots }) => !draining && snapshots >= snapshotVersion)
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

  /** Unless it goes on there for sure, the store knows what became of it: it may have been ended there. */
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
