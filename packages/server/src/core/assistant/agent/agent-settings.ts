import { openSecrets } from '#core/account/assistants/secrets.ts'
import { secretsInForce } from '#core/account/flows/flow-secrets.ts'
import type { AgentSettings } from '#core/kernel/ports/assistant/agent.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { StoredAssistant } from '#core/kernel/ports/store/assistant/assistants.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'

export interface AgentSettingsDeps {
  store: Store
  clock: Clock
  vault: Vault
}

/** Rejects when there is no such version. */
export const readAgentSettings = async (
  { store, clock, vault }: AgentSettingsDeps,
  accountId: string,
  flowId: string,
  version: AgentSettings['version'],
): Promise<AgentSettings> => {
  const { read } = store
  const [account, flow, kept] = await Promise.all([
    read.accounts.find(accountId),
    read.flows.find(accountId, flowId),
    keptSettings(read, accountId, flowId, version),
  ])
  if (!account || !flow || !kept) throw new Error(`there is no version ${version} of this assistant`)
  return {
    flowId,
    version,
    language: flow.settings.language ?? account.locale.slice(0, 2),
    secrets: secretsInForce(flow.settings, clock.now()).map(({ sealed }) => vault.open(sealed)),
    assistant: openSecrets(vault, kept),
  }
}

/** With its secrets sealed, which rules do not need. */
export const keptSettings = async (
  { assistants }: Tables,
  accountId: string,
  flowId: string,
  version: number | 'draft' | 'none',
): Promise<StoredAssistant | undefined> => {
  if (version === 'none') return undefined
  const kept = version === 'draft' ? assistants.draft(accountId, flowId) : assistants.version(accountId, flowId, version)
  return (await kept)?.settings
}
