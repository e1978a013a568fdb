import type { Client } from '../api/client.ts'
import type { Role } from '../api/session.ts'

export type SecondFactor = Awaited<ReturnType<Client['getSecondFactor']>>
export type NewTotp = Awaited<ReturnType<Client['beginTotp']>>
export type Passkey = Awaited<ReturnType<Client['listPasskeys']>>['items'][number]
type NewPasskey = Parameters<Client['addPasskey']>[1]
type Codes = Awaited<ReturnType<Client['renewRecoveryCodes']>>

/** What users and operators do with their own second factor. */
export interface Factors {
  show: () => Promise<SecondFactor>
  beginTotp: () => Promise<NewTotp>
  confirmTotp: (code: string) => Promise<Codes>
  removeTotp: () => Promise<void>
  listPasskeys: () => Promise<{ items: Passkey[] }>
  beginPasskey: () => ReturnType<Client['beginPasskey']>
  addPasskey: (passkey: NewPasskey) => ReturnType<Client['addPasskey']>
  removePasskey: (passkeyId: string) => Promise<void>
  renewRecoveryCodes: () => Promise<Codes>
  demand: (demanded: boolean) => Promise<void>
}

/** The same for users and operators, who have operations of their own for it. */
export const factorsOf = (role: Role, client: Client): Factors => (role === 'operator' ? ofOperator(client) : ofUser(client))

const ofOperator = (client: Client): Factors => ({
  show: () => client.getOperatorSecondFactor(),
  beginTotp: () => client.beginOperatorTotp(),
  confirmTotp: (code) => client.confirmOperatorTotp({}, { code }),
  removeTotp: () => client.removeOperatorTotp(),
  listPasskeys: () => client.listOperatorPasskeys(),
  beginPasskey: () => client.beginOperatorPasskey(),
  addPasskey: (passkey) => client.addOperatorPasskey({}, passkey),
  removePasskey: (passkeyId) => client.removeOperatorPasskey({ passkeyId }),
  renewRecoveryCodes: () => client.renewOperatorRecoveryCodes(),
  demand: (demanded) => client.requireOperatorSecondFactor({}, { demanded }),
})

const ofUser = (client: Client): Factors => {
  const me = async (): Promise<{ userId: string }> => ({ userId: (await client.getUserInfo()).sub })
  return {
    show: async () => client.getSecondFactor(await me()),
    beginTotp: async () => client.beginTotp(await me()),
    confirmTotp: async (code) => client.confirmTotp(await me(), { code }),
    removeTotp: async () => client.removeTotp(await me()),
    listPasskeys: async () => client.listPasskeys(await me()),
    beginPasskey: async () => client.beginPasskey(await me()),
    addPasskey: async (passkey) => client.addPasskey(await me(), passkey),
    removePasskey: async (passkeyId) => client.removePasskey({ ...(await me()), passkeyId }),
    renewRecoveryCodes: async () => client.renewRecoveryCodes(await me()),
    demand: (demanded) => client.requireSecondFactor({}, { demanded }),
  }
}
