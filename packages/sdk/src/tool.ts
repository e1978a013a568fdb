import type { Static, TSchema } from 'typebox'
import type { Answer } from './answering.ts'
import { argumentsOf, problemsOf } from './tool-arguments.ts'

/** For who has a loop of its own around a language model. */
export interface Tool {
  readonly name: string
  /** As most models take it: one entry of `tools`. */
  readonly definition: { type: 'function'; function: { name: string; description: string; parameters: Record<string, unknown> } }
  /**
   * What the model wrote, as it wrote it. Gives what to tell the model: the result, or why there is none. `turn`: that of a handler; the use of
   * the tool is then noted in the timeline of the call.
   */
  call(argumentsText: string, turn?: ToolTurn): Promise<string>
}

/** Of a turn, what tools need. */
export interface ToolTurn {
  readonly signal: AbortSignal
  send: (action: Answer) => void
}

export interface ToolWish<P extends TSchema> {
  name: string
  /** For the model: what it does, and when to use it. */
  description: string
  /** TypeBox, or any JSON Schema of an object. */
  parameters: P
  run: (args: Static<P>, context: { signal: AbortSignal }) => unknown
}

const never = new AbortController().signal

/** A function that a language model may call: arguments are checked before it runs, and what it throws is an answer, too. */
export const tool = <const P extends TSchema>({ name, description, parameters, run }: ToolWish<P>): Tool => {
  const answer = async (argumentsText: string, signal: AbortSignal): Promise<{ status: string; content: unknown }> => {
    const args = argumentsOf(argumentsText)
    const problem = args === undefined ? 'they are no JSON object' : problemsOf(parameters, args)
    if (problem !== undefined) return { status: 'refused', content: `The arguments do not fit: ${problem}` }
    try {
      return { status: 'ok', content: await run(args as Static<P>, { signal }) }
    } catch (error) {
      return { status: 'failed', content: { error: (error as Error).message } }
    }
  }
  return {
    name,
    definition: { type: 'function', function: { name, description, parameters: { ...parameters } as Record<string, unknown> } },
    async call(argumentsText, turn) {
      const began = performance.now()
      const { status, content } = await answer(argumentsText, turn?.signal ?? never)
      const ms = Math.round(performance.now() - began)
      turn?.send({ type: 'note', name: 'tool', data: { name, arguments: argumentsText, status, ms, result: content } })
      return typeof content === 'string' ? content : (JSON.stringify(content) ?? 'done')
    },
  }
}
