import type { FlowRuntime } from '../ports/flow-runtime.ts'

/** Stands in for an assistant: greets, and then gives everything back that it hears. */
export const demoFlow = (): FlowRuntime => ({
  async run(call, leg) {
    await call.answer()
    await leg.play({ prompt: 'demo-greeting', language: call.language }).done
    leg.echo(true)
    await leg.ended
  },
})
