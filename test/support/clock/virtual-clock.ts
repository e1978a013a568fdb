import { VirtualClock as AssistantsClock } from '@offhook/sdk/simulate/virtual-clock.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'

/** Time that moves only by the test. The wall clock can be set separately, and the machine can sleep. */
export class VirtualClock extends AssistantsClock implements Clock {
  /** Offset of the wall clock. */
  #setMs = 0

  override now(): number {
    return super.now() + this.#setMs
  }

  /** Sets the system clock forward or back. Pending timers are unaffected. */
  set(ms: number): void {
    this.#setMs += ms
  }

  /** Descriptions of pending tasks. */
  left(): string[] {
    return Array.from(this.timers, ({ at, task }) => `in ${at - this.elapsed()} ms: ${String(task).slice(0, 200)}`)
  }

  /** Simulates a machine that slept: first the time passes, then due tasks run. Weeks pass immediately. */
  async jump(ms: number): Promise<void> {
    this.skip(ms)
    await this.advance(0)
  }
}
