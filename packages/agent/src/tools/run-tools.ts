import { argumentsOf, problemsOf } from '@offhook/sdk/tool-arguments.ts'
import type { CalledTool } from '../model/messages.ts'
import { refused, type Tool, type ToolContext, type ToolRun } from './tool.ts'

export interface RanTool {
  call: CalledTool
  run: ToolRun
  ms: number
}

/** All at once; in the order in which they were called. One that fails is an answer for the model, never the end of anything. */
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
  const wrong = problemsOf(tool.parameters, args)
  if (wrong !== undefined) return refused(`The arguments do not fit: ${wrong}`)
  try {
    return await tool.run(args, context)
  } catch (error) {
    return { status: 'failed', content: { error: (error as Error).message } }
  }
}
