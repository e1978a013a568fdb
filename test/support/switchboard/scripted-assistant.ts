import assert from 'node:assert/strict'
import type { FlowCall, FlowRuntime } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'

interface Session {
  call: FlowCall
  flow: Flow
  /** The assistant has nothing more to do. */
  leave: () => void
}

/** An assistant that takes every call and then does what the test says. */
export class ScriptedAssistant implements FlowRuntime {
  readonly sessions: Session[] = []

  async run(call: FlowCall, _leg: unknown, flow: Flow): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.sessions.push({ call, flow, leave: resolve })
    await call.answer()
    await Promise.race([promise, call.ended])
  }

  /** Of the latest call. */
  get call(): FlowCall {
    return this.sessions.at(-1)?.call ?? assert.fail('no assistant has a call')
  }
}
