import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { hashSecret } from '../tokens/tokens.ts'

/** What the identity provider calls a client that registered itself. */
export const clientModel = 'Client'

/** How long one that registered itself is known. */
export const selfRegisteredMs = 180 * 24 * 60 * 60 * 1000

/** A program that users let act for them: made by a user, or registered by itself, as clients of MCP do. */
export interface App {
  clientId: string
  name: string
  selfRegistered: boolean
}

export const findApp = async (
  tables: Pick<Tables, 'oauthClients' | 'oidcRecords'>,
  { clock, vault }: { clock: Clock; vault: Vault },
  clientId: string,
): Promise<App | undefined> => {
  const client = await tables.oauthClients.findAnywhere(clientId)
  if (client) return { clientId, name: client.name, selfRegistered: false }
  const record = await tables.oidcRecords.find(clientModel, hashSecret(clientId), clock.now())
  if (!record) return undefined
  const { client_name: name = '' } = JSON.parse(vault.open(record.sealed)) as { client_name?: string }
  return { clientId, name, selfRegistered: true }
}
