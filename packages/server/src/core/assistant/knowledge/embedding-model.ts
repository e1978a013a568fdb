import { openSecrets } from '#core/account/assistants/secrets.ts'
import type { StoredAssistant } from '#core/kernel/ports/store/assistant/assistants.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { EmbeddingModel } from './embeddings.ts'

/** What the version says that calls get; before there is one, what is being written. */
export const embeddingModel = async (
  { assistants }: Pick<Tables, 'assistants'>,
  vault: Vault,
  accountId: string,
  flowId: string,
): Promise<EmbeddingModel | undefined> => {
  const rollout = await assistants.rollout(accountId, flowId)
  const holder = rollout ? await assistants.version(accountId, flowId, rollout.stable) : await assistants.draft(accountId, flowId)
  return holder && modelOf(vault, holder.settings)
}

const modelOf = (vault: Vault, kept: StoredAssistant): EmbeddingModel | undefined => {
  if (!kept.knowledge?.embeddings) return undefined
  const { embeddings } = openSecrets(vault, kept).knowledge ?? {}
  return embeddings && { url: embeddings.url, name: embeddings.name, apiKey: embeddings.api_key ?? undefined }
}
