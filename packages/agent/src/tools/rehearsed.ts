import { isDeepStrictEqual } from 'node:util'
import type { RecordedTool } from '@offhook/contract/assistant/scenario.ts'
import type { Tool, ToolRun } from './tool.ts'

/**
 * Tools that answer as they once did. The same question gets the same answer, otherwise each use the next one that is recorded; a use that
 * nothing is recorded for is an error for the model, never a request.
 */
export const rehearsed = (tools: readonly Tool[], recorded: readonly RecordedTool[]): Tool[] => {
  const left = [...recorded]
  const answerTo = (name: string, args: object): RecordedTool | undefined => {
    const asBefore = (one: RecordedTool): boolean =>
      one.name === name && (one.arguments === undefined || isDeepStrictEqual(one.arguments, args))
    const next = left.find(asBefore) ?? recorded.find(asBefore) ?? left.find((one) => one.name === name)
    if (next && left.includes(next)) left.splice(left.indexOf(next), 1)
    return next
  }
  return tools.map((tool) => ({
    ...tool,
    run: (args) => Promise.resolve(runOf(tool.name, answerTo(tool.name, args))),
  }))
}

const runOf = (name: string, answer: RecordedTool | undefined): ToolRun => {
  if (!answer) return { status: 'failed', content: { error: `This is a test, and it has no answer of ${name}.` } }
  const { result = 'done', status = 200 } = answer
  if (status >= 200 && status < 300) return { status: 'ok', content: result }
  return { status: 'failed', content: { error: `the tool answered ${status}`, answer: result } }
}
