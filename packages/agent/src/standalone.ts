import { lookup } from 'node:dns/promises'
import { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { hasKey, LiveServer } from '@offhook/sdk/serve.ts'
import { problemsOf } from '@offhook/sdk/tool-arguments.ts'
import { agent } from './agent.ts'
import { wallClock } from './clock.ts'
import type { AgentSettings, Host } from './host.ts'
import { Refusals } from './model/messages.ts'
import { outboundOver } from './outbound.ts'

export interface StandaloneOptions {
  /** Default 3001. */
  port?: number
  /** Default 127.0.0.1: this machine only. */
  host?: string
  /** The flow's `apiKey`. Without one every client that reaches the port is accepted. */
  apiKey?: string
  /** BCP 47; default en-US. */
  language?: string
  /** Secrets that sign HTTP tool requests (`whsec_…`). */
  secrets?: readonly string[]
  /** Your implementations of the operations that the service provides for its own assistants. Missing ones are rejected. */
  own?: Partial<Pick<Host, 'lookUp' | 'sendSms' | 'takeMessage' | 'calendar'>>
  /** Default: standard error. */
  onFailure?: (error: unknown) => void
}

export interface Standalone {
  url: string
  close: () => Promise<void>
}

/** Runs a prompt-based assistant as your own program: set the flow's `websocketUrl` to it. It reaches every address that this machine reaches. */
export const listenAlone = async (assistant: AssistantSettings, options: StandaloneOptions = {}): Promise<Standalone> => {
  const { port = 3001, host: at = '127.0.0.1', apiKey, language = 'en-US', secrets = [], own = {}, onFailure = console.error } = options
  const problems = problemsOf({ ...AssistantSettings }, assistant)
  if (problems !== undefined) throw new TypeError(`The settings of the assistant cannot be used: ${problems}`)
  const host = hostOf(own)
  const outbound = outboundOver(host)
  const settings: AgentSettings = { flowId: 'own', version: 'draft', language, secrets, assistant }
  const bot = agent({ clock: wallClock, host, fetch: outbound.fetch, refusals: new Refusals(), onFailure })
  const server = new LiveServer<AgentSettings>({
    admit: async (request) => (apiKey === undefined || hasKey(request, apiKey) ? { bot, given: settings } : '401 Unauthorized'),
  })
  return {
    url: `ws://${at}:${await server.listen(port, at)}/`,
    close: async () => {
      await server.stop(0)
      await outbound.close()
    },
  }
}

const hostOf = (own: NonNullable<StandaloneOptions['own']>): Host => ({
  settings: () => Promise.reject(new Error('there is only one')),
  addresses: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  lookUp: async () => [],
  sendSms: async () => ({ refused: 'SMS cannot be sent from here.' }),
  calendar: async () => ({ refused: 'There is no calendar here.' }),
  takeMessage: async () => ({ refused: 'Messages cannot be taken here.' }),
  spend: async () => ({ mayContinue: true }),
  ...own,
})
