import { NobodyThere, type Bus } from '#core/kernel/ports/bus.ts'
import type { Neighbour, Neighbours } from '#core/kernel/ports/neighbours.ts'
import type { CallHold } from '#core/kernel/ports/store/call/running-calls.ts'
import { snapshotVersion } from '../books/course.ts'
import type { Possession } from '../books/open-books.ts'
import { takenOver } from '../state/end.ts'
import type { End } from '#core/kernel/ports/call-end.ts'

/** Calls that are handed over at once. */
const atOnce = 20
/** Two phones are asked, one of which may have to be asked twice. */
const longestMs = 15_000

/** A call that can be given away. */
export interface HandedCall {
  readonly id: string
  readonly end: End | undefined
  readonly books: { possession(): Promise<Possession> }
  beginHandOver(): Promise<CallHold | undefined>
  keep(): void
  finish(end: End): void
}

export interface HandOverParts {
  bus: Pick<Bus, 'ask' | 'answer'>
  neighbours: Pick<Neighbours, 'others'>
  calls: () => readonly HandedCall[]
  onFailure: (error: unknown, callId: string) => void
}

/** Where a process takes calls that are handed over to it … */
export const takesCalls = (owner: string): string => `take.${owner}`
/** … and where it says that the phones of one agreed. */
export const handing = (callId: string): string => `handing.${callId}`

/** Gives the calls of this process to others, so that it can end without ending them. */
export class HandOver {
  readonly #parts: HandOverParts
  #turn = 0

  constructor(parts: HandOverParts) {
    this.#parts = parts
  }

  /** Each is offered once. Gives how many went; those that cannot go on elsewhere stay. */
  async all(): Promise<number> {
    const waiting = [...this.#parts.calls()]
    let given = 0
    const give = async (): Promise<void> => {
      for (let call = waiting.shift(); call; call = waiting.shift()) if (await this.#give(call)) given++
    }
    await Promise.all(Array.from({ length: atOnce }, give))
    return given
  }

  /** In turns, beginning with the one that has the fewest calls; only those that can read what we write. */
  #target(): Neighbour | undefined {
    const able = this.#parts.neighbours.others().filter(({ draining, snapshots }) => !draining && snapshots >= snapshotVersion)
    return able.toSorted((a, b) => a.calls - b.calls)[this.#turn++ % Math.max(able.length, 1)]
  }

  async #give(call: HandedCall): Promise<boolean> {
    const to = this.#target()
    const hold = to && (await call.beginHandOver().catch((error: unknown) => this.#parts.onFailure(error, call.id)))
    if (!to || !hold) return false
    const stop = this.#parts.bus.answer(handing(call.id), () => {
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
  async #offer({ owner }: Neighbour, hold: CallHold, call: HandedCall): Promise<boolean> {
    const { bus, onFailure } = this.#parts
    try {
      const { taken } = (await bus.ask(takesCalls(owner), hold, { ms: longestMs })) as { taken: boolean }
      if (taken) return true
    } catch (error) {
      if (error instanceof NobodyThere) return false
      onFailure(error, call.id)
    }
    return (await call.books.possession().catch(() => 'ours')) !== 'ours'
  }
}
