import { randomUUID } from 'node:crypto'
import type { Service } from './service.ts'

/** For each `:name` in an address of the console: something that exists in the service, so that its page has something to show. */
export type Examples = Readonly<Record<string, string>>

export const makeExamples = async ({ notes }: Service): Promise<Examples> => ({
  flowId: notes.flowId,
  aiFlowId: notes.flowId,
  accountId: notes.accountId,
  callId: randomUUID(),
})

/** `/flows/:flowId` → `/flows/17`. */
export const filled = (path: string, examples: Examples): string =>
  path.replaceAll(/:(\w+)\??/g, (_match, name: string) => {
    const example = examples[name]
    if (example === undefined) throw new Error(`say in test/console/examples.ts what :${name} of ${path} can be`)
    return encodeURIComponent(example)
  })
