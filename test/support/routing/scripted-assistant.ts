import assert from 'node:assert/strict'
import type { FlowCall, FlowRuntime } from '#core/kernel/ports/assistant.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'

interface Session {
  call: FlowCall
  flow: Flow
  /** Ends the assistant's part. */
  leave: () => void
}

/** Assistant that takes every call and then follows the test's script. */
export class ScriptedAssistant implements FlowRuntime {
  readonly sessions: Session[] = []

  async run(call: FlowCall, _leg: unknown, flow: Flow): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.sessions.push({ call, flow, leave: resolve })
    await call.answer()
    await Promise.race([promise, call.over])
  }

  /** Latest call. */
  get call(): FlowCall {
    return this.sessions.at(-1)?.call ?? assert.fail('no assistant has a call')
  }
}
