import type { Static, TSchema } from 'typebox'
import type { Answer } from './answering.ts'
import { argumentsOf, problemsOf } from './tool-arguments.ts'

/** A tool for your own loop around a language model. */
export interface Tool {
  readonly name: string
  /** One entry of `tools`, as most models expect it. */
  readonly definition: { type: 'function'; function: { name: string; description: string; parameters: Record<string, unknown> } }
  /**
   * Takes the model's arguments as raw text. Returns the text for the model: the result, or the reason for the failure. `turn`: the
   * handler's turn; if given, the call's timeline notes the use of the tool.
   */
  call(argumentsText: string, turn?: ToolTurn): Promise<string>
}

/** The part of a turn that tools need. */
export interface ToolTurn {
  readonly signal: AbortSignal
  send: (action: Answer) => void
}

export interface ToolWish<P extends TSchema> {
  name: string
  /** For the model: purpose, and when to use it. */
  description: string
  /** TypeBox, or any JSON Schema of an object. */
  parameters: P
  run: (args: Static<P>, context: { signal: AbortSignal }) => unknown
}

const never = new AbortController().signal

/** A function that a language model may call: validates arguments before it runs, and returns thrown errors as answers. */
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
      const startedAt = performance.now()
      const { status, content } = await answer(argumentsText, turn?.signal ?? never)
      const ms = Math.round(performance.now() - startedAt)
      turn?.send({ type: 'note', name: 'tool', data: { name, arguments: argumentsText, status, ms, result: content } })
      return typeof content === 'string' ? content : (JSON.stringify(content) ?? 'done')
    },
  }
}
