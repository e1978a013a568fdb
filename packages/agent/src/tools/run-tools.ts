import { argumentsOf, problemsOf } from '@offhook/sdk/tool-arguments.ts'
import type { CalledTool } from '../model/messages.ts'
import { refused, type Tool, type ToolContext, type ToolRun } from './tool.ts'
import { createContext, Script } from 'node:vm'

export interface RanTool {
  call: CalledTool
  run: ToolRun
  ms: number
}

/** Runs all calls concurrently and returns results in call order. A failure becomes an answer for the model and never ends the call. */
export const runTools = (
  calls: readonly CalledTool[],
  tools: readonly Tool[],
  contextOf: (call: CalledTool) => ToolContext,
  elapsed: () => number,
): Promise<RanTool[]> =>
  Promise.all(
    calls.map(async (call) => {
      const started = elapsed()
      const run = await runOne(call, tools, contextOf(call))
      return { call, run, ms: Math.round(elapsed() - started) }
    }),
  )

const runOne = async (call: CalledTool, tools: readonly Tool[], context: ToolContext): Promise<ToolRun> => {
  const tool = tools.find(({ name }) => name === call.name)
  if (!tool) return refused(`There is no tool ${call.name}. There are: ${tools.map(({ name }) => name).join(', ') || 'none'}.`)
  const args = argumentsOf(call.arguments)
  if (!args) return refused('The arguments are not a JSON object.')
  const wrong = problemsWithin(tool.parameters, args)
  if (wrong !== undefined) return refused(`The arguments do not fit: ${wrong}`)
  try {
    return await tool.run(args, context)
  } catch (error) {
    return { status: 'failed', content: { error: (error as Error).message } }
  }
}

/** Far above the runtime of any reasonable pattern. */
const maxMs = 20
/** Only a `Script` can be interrupted inside a regular expression. */
const script = new Script('check()')

/** Validates against a customer's schema. Its patterns are untrusted: one like (a+)+$ would block all other calls. */
export const problemsWithin = (schema: object, value: unknown): string | undefined => {
  if (!JSON.stringify(schema).includes('"pattern')) return problemsOf(schema, value)
  try {
    const check = (): string | undefined => problemsOf(schema, value)
    return script.runInContext(createContext({ check }), { timeout: maxMs }) as string | undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    return `a pattern of the schema takes longer than ${maxMs} ms`
  }
}
