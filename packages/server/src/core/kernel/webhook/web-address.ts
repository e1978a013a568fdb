import { readChoice, type AssistantChoice } from '#core/kernel/ports/store/session.ts'

/** Absolute http or https URL without a password, which would be visible wherever the URL is shown. */
export const isWebAddress = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === ''
}

/** Same for a WebSocket: ws or wss. */
export const isSocketAddress = (text: string): boolean => /^wss?:/i.test(text) && isWebAddress(text.replace(/^ws/i, 'http'))

/** Stands for the demo assistant of this installation in place of a URL, wherever it listens. */
export const demoAssistant = 'demo:assistant'

export const isDemoAddress = (text: string): boolean => /^demo:assistant(?:\?language=(?:de|en))?$/.test(text)

/** Scheme, host and port (RFC 6454): secrets are bound to it. A WebSocket has the origin of its handshake. */
export const originOf = (address: string): string => {
  const origin = URL.parse(address.replace(/^ws/i, 'http'))?.origin
  return origin === undefined || origin === 'null' ? address : origin
}

export interface AssistantAddress {
  accountId: string
  flowId: string
  choice: AssistantChoice
  /** Id of the test, if the session is one. */
  test?: string
}

/** Stands for an assistant configured here in place of a URL. Customers cannot set it, because it is not a WebSocket URL. */
export const assistantAddress = ({ accountId, flowId, choice, test }: AssistantAddress): string =>
  `assistant:${accountId}/${flowId}/${choice}${test === undefined ? '' : `/${test}`}`

/** Undefined for other addresses. */
export const readAssistantAddress = (text: string): AssistantAddress | undefined => {
  const [, accountId, flowId, choice, test] = /^assistant:([^/]+)\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/.exec(text) ?? []
  if (accountId === undefined || flowId === undefined || choice === undefined) return undefined
  return { accountId, flowId, choice: readChoice(choice), ...(test !== undefined && { test }) }
}
