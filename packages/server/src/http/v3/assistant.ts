import type { assistantOperations } from '@offhook/contract/v3/assistant.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { readAgentSettings } from '#core/assistant/agent/agent-requests.ts'
import { changeAssistant, findDraft, removeAssistant } from '#core/account/assistants/change-assistant.ts'
import { hideSecrets } from '#core/account/assistants/secrets.ts'
import { changeRollout, publishAssistant, rollBack } from '#core/account/assistants/versions.ts'
import { given } from '#core/account/flows/flow-element.ts'
import type { AssistantVersion } from '#core/kernel/ports/store/assistant.ts'
import { AgentUnavailable, type AgentSettings } from '#core/kernel/ports/assistant.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { RateLimit } from '../limits/rate-limit.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const assistantHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'wallClock' | 'vault' | 'agent' | 'testRunner'>,
): Handlers<typeof assistantOperations> => {
  const { store, clock, agent, testRunner } = deps
  const tried = trials(deps.wallClock)
  const requireFlow = async (accountId: string, flowId: string): Promise<void> => {
    if (!(await store.read.flows.find(accountId, flowId))) throw new Problem('flow_not_found')
  }
  const draftOf = async (accountId: string, flowId: string): Promise<AgentSettings> => {
    await findDraft(store.read, accountId, flowId)
    return readAgentSettings(deps, accountId, flowId, 'draft')
  }
  return {
    getAssistant: async ({ caller: { accountId }, params: { aiFlowId } }) => {
      const { settings, revision, changedAt } = await findDraft(store.read, accountId, aiFlowId)
      const published = await store.read.assistants.versionOf(accountId, aiFlowId, settings)
      return { settings: hideSecrets(settings), revision, changedAt: new Date(changedAt).toISOString(), ...given({ published }) }
    },

    changeAssistant: ({ caller, params, body }) => store.write((tables) => changeAssistant(tables, deps, caller, params.aiFlowId, body)),

    deleteAssistant: ({ caller, params }) => store.write((tables) => removeAssistant(tables, clock, caller, params.aiFlowId)),

    publishAssistant: async ({ caller, params: { aiFlowId }, body, breathe }) => {
      await requireFlow(caller.accountId, aiFlowId)
      const tested = await store.read.assistants.draft(caller.accountId, aiFlowId)
      await testRunner.demandRequired(caller.accountId, aiFlowId, breathe)
      return toElement(await store.write((tables) => publishAssistant(tables, deps, caller, aiFlowId, body, tested?.revision)))
    },

    listAssistantVersions: async ({ caller: { accountId }, params: { aiFlowId } }) => {
      await requireFlow(accountId, aiFlowId)
      return { items: (await store.read.assistants.versions(accountId, aiFlowId)).map(toElement) }
    },

    getAssistantVersion: async ({ caller: { accountId }, params: { aiFlowId, version } }) => {
      await requireFlow(accountId, aiFlowId)
      const found = /^[1-9]\d{0,8}$/.test(version) && (await store.read.assistants.version(accountId, aiFlowId, Number(version)))
      if (!found) throw new Problem('assistant_version_not_found')
      return { ...toElement(found), settings: hideSecrets(found.settings) }
    },

    getRollout: async ({ caller: { accountId }, params: { aiFlowId } }) => {
      await requireFlow(accountId, aiFlowId)
      return given((await store.read.assistants.rollout(accountId, aiFlowId)) ?? {})
    },

    changeRollout: ({ caller, params, body }) => store.write((tables) => changeRollout(tables, clock, caller, params.aiFlowId, body)),

    rollBackAssistant: async ({ caller, params }) => ({
      stable: await store.write((tables) => rollBack(tables, clock, caller, params.aiFlowId)),
    }),

    testModel: async ({ caller, params, body: { second = false } }) => {
      const settings = await draftOf(caller.accountId, params.aiFlowId)
      const { model } = settings.assistant
      if (!(second ? model?.second : model)) throw new Problem('conflict', 'The assistant has no such model yet: set its address first.')
      return tried(caller.accountId, () => agent.testModel(settings, second))
    },

    testTool: async ({ caller, params, body }) => {
      const settings = await draftOf(caller.accountId, params.aiFlowId)
      if (!settings.assistant.tools?.http?.some(({ name }) => name === params.tool)) throw new Problem('assistant_tool_not_found')
      return tried(caller.accountId, () => agent.testTool(settings, params.tool, body.arguments ?? {}))
    },
  }
}

const triesPerSecond = 0.5

/** Rate-limited: each trial uses the customer's model and one of our connections. */
const trials = (clock: Clock) => {
  const limit = new RateLimit(clock, triesPerSecond)
  return async <T>(accountId: string, run: () => Promise<T>): Promise<T> => {
    limit.take(accountId)
    try {
      return await run()
    } catch (error) {
      throw error instanceof AgentUnavailable ? new Problem('unavailable', error.message) : error
    }
  }
}

const toElement = ({ version, createdAt, createdBy, note, calls }: AssistantVersion) => ({
  version,
  createdAt: new Date(createdAt).toISOString(),
  createdBy,
  calls,
  ...given({ note }),
})
