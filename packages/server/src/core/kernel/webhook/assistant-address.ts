import { readChoice, type AssistantChoice } from '#core/kernel/ports/store/assistant/assistant-choice.ts'

export interface AssistantAddress {
  accountId: string
  flowId: string
  choice: AssistantChoice
  /** The session is a test with this id. */
  test?: string
}

/** Instead of an address: the assistant that is written here. No customer can set it, because it is no WebSocket address. */
export const assistantAddress = ({ accountId, flowId, choice, test }: AssistantAddress): string =>
  `assistant:${accountId}/${flowId}/${choice}${test === undefined ? '' : `/${test}`}`

/** Undefined when it is the address of something else. */
export const readAssistantAddress = (text: string): AssistantAddress | undefined => {
  const [, accountId, flowId, choice, test] = /^assistant:([^/]+)\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/.exec(text) ?? []
  if (accountId === undefined || flowId === undefined || choice === undefined) return undefined
  return { accountId, flowId, choice: readChoice(choice), ...(test !== undefined && { test }) }
}
