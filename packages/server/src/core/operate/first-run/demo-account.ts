import { randomInt, randomUUID } from 'node:crypto'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { createDevice } from '#core/account/devices/create-device.ts'
import { newFlowSecret } from '#core/account/flows/flow-secrets.ts'
import { hashSecret, issueToken, randomCharacters } from '#core/account/identity/tokens/tokens.ts'
import { topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import { assignNumber } from '#core/account/numbers/assign-number.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { demoAssistant } from '#core/kernel/webhook/web-address.ts'
import type { NewPassword } from './new-password.ts'

export interface DemoAccount {
  accountId: string
  email: string
  password: string
  /** A bearer token of the administrator that does not expire. */
  token: string
  sip: { user: string; password: string }
  number: string
  flowId: string
}

export interface DemoDeps {
  clock: Clock
  vault: Vault
  installation: { currency: string }
}

const actor = 'first-run'
const email = 'demo@offhook.local'
const startMoney = 100_000 // 10.00
const place = {
  poBox: '',
  extendedAddress: '',
  street: 'Musterstraße',
  houseNumber: '1',
  locality: 'Berlin',
  region: '',
  postalCode: '10115',
  country: 'DE',
}

/** A verified account with money, an administrator who has a phone, and a Berlin number that leads to a flow. */
export const createDemoAccount = async (tables: Tables, deps: DemoDeps, { password, hash }: NewPassword): Promise<DemoAccount> => {
  const { clock, installation } = deps
  const { currency } = installation
  const tariffId = await openTariff(tables, clock, { currency })
  const accountId = await createAccount(tables, clock, { company: 'Demo', country: 'DE', locale: 'en_US', currency, tariffId })
  await verify(tables, accountId)
  await topUp(tables, clock, { accountId, amount: startMoney, reason: 'start money of the demo', idempotencyKey: actor, actor })

  const names = { firstname: 'Demo', lastname: 'Admin' }
  const userId = await createUser(tables, clock, accountId, { email, passwordHash: hash, ...names, admin: true, locale: 'en_US' })
  const token = await issueUserToken(tables, clock, accountId, userId)
  const sip = await addPhone(tables, deps, accountId, userId)
  const { number, flowId } = await addFlowWithNumber(tables, deps, accountId)
  return { accountId, email, password, token, sip, number, flowId }
}

/** As if the holder had typed in the code. */
const verify = async (tables: Tables, accountId: string): Promise<void> => {
  const codeHash = hashSecret(randomCharacters(20))
  await tables.accounts.setVerificationCode(accountId, codeHash)
  await tables.accounts.verify(accountId, codeHash)
}

const issueUserToken = async (tables: Tables, clock: Clock, accountId: string, userId: string): Promise<string> => {
  const user = await tables.users.find(accountId, userId)
  const holder = { accountId, userId }
  return issueToken(tables, clock, { kind: 'session', holder, subject: user?.subject ?? userId, scopes: ['all'], name: 'first start' })
}

const addPhone = async (tables: Tables, { clock, vault }: DemoDeps, accountId: string, userId: string): Promise<DemoAccount['sip']> => {
  const deviceId = await createDevice(tables, clock, vault, { accountId, userId, type: 'REGISTER', alias: 'Demo phone', actor })
  const device = await tables.devices.find(accountId, deviceId)
  if (!device?.sip) throw new Error('a register device has no SIP credentials')
  return { user: device.sip.username, password: vault.open(device.sip.passwordSealed) }
}

const addFlowWithNumber = async (
  tables: Tables,
  { clock, vault }: DemoDeps,
  accountId: string,
): Promise<{ number: string; flowId: string }> => {
  const addressId = await tables.addresses.insert(accountId, place, clock.now())
  const input = { accountId, number: inventedNumber(), addressId: String(addressId) }
  const { id, e164 = '' } = await assignNumber(tables, clock, randomUUID(), input)
  const flowId = randomUUID()
  const settings = { webhookUrl: demoAssistant, phoneNumber: e164.slice(1), secrets: [newFlowSecret(vault, clock.now()).kept] }
  await tables.flows.insert(accountId, { id: flowId, name: 'Demo', settings }, clock.now())
  await tables.numbers.setRouting(accountId, id, { flowId })
  return { number: e164, flowId }
}

/** The Bundesnetzagentur keeps 030 23125-000 to -999 free for films and books: such a number has no holder. */
const inventedNumber = (): string => `+493023125${String(randomInt(1000)).padStart(3, '0')}`
