import type { assistantOperations } from '@offhook/contract/v3/assistant.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Static } from 'typebox'

/** One assistant as it is run: its secrets are open. */
export interface AgentSettings {
  flowId: string
  version: number | 'draft'
  /** BCP 47. */
  language: string
  /** Sign what its HTTP tools are sent, the newest first. */
  secrets: readonly string[]
  assistant: AssistantSettings
}

/** What runs assistants: a program of its own that talks with a model, apart from everything that carries calls. */
export interface Agent {
  testModel(settings: AgentSettings, second: boolean): Promise<Static<(typeof assistantOperations.testModel)['reply']>>
  testTool(
    settings: AgentSettings,
    tool: string,
    args: Record<string, unknown>,
  ): Promise<Static<(typeof assistantOperations.testTool)['reply']>>
}

/** There is none, or it does not answer. The message says why. */
export class AgentUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'AgentUnavailable'
  }
}
