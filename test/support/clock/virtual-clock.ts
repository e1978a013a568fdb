import { VirtualClock as AssistantsClock } from '@offhook/sdk/simulate/virtual-clock.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'

/** Time that only moves when a test says so. The clock on the wall can be set, too, and the machine may sleep. */
export class VirtualClock extends AssistantsClock implements Clock {
  /** By how much the clock on the wall was set. */
  #setMs = 0

  override now(): number {
    return super.now() + this.#setMs
  }

  /** The system clock is set, forward or back. What waits goes on waiting. */
  set(ms: number): void {
    this.#setMs += ms
  }

  /** What still waits, in words that lead to it. */
  left(): string[] {
    return Array.from(this.timers, ({ at, task }) => `in ${at - this.elapsed()} ms: ${String(task).slice(0, 200)}`)
  }

  /** As for a machine that slept: first the time is over, then what fell due meanwhile runs. Weeks pass at once. */
  async jump(ms: number): Promise<void> {
    this.skip(ms)
    await this.advance(0)
  }
}
