import { randomUUID, randomInt } from 'node:crypto'
import { issueToken, hashSecret, randomCharacters } from '#core/account/identity/tokens/tokens.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { createDevice } from '#core/account/devices/create-device.ts'
import { newFlowSecret } from '#core/account/flows/flow-secrets.ts'
import { topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import { assignNumber } from '#core/account/numbers/assign-number.ts'
import { demoAssistant } from '#core/kernel/webhook/web-address.ts'

export interface FirstRunDeps {
  store: Store
  clock: Clock
  vault: Vault
  passwords: Passwords
  installation: { currency: string }
}

/** Credentials known only at the first start; afterwards the secrets exist only as hashes. */
export interface FirstRunFacts {
  operator: { email: string; password: string; token: string }
  demo: DemoAccount | undefined
}

/** `id` identifies this first start; `keep` must have stored the facts safely when it resolves. */
interface FirstRunOptions {
  demo: boolean
  keep: (id: string, facts: FirstRunFacts) => Promise<void>
}

/** Set to the id of the first start once it is done. */
export const firstRunSetting = 'first_run'

const operatorEmail = 'operator@offhook.local'

/**
 * Fills an empty store once: of several processes that start concurrently only one finds the setting free. The facts are stored before
 * the commit, so that no installation has unknown passwords. Undefined if the first start is already done.
 */
export const firstRun = async (deps: FirstRunDeps, { demo, keep }: FirstRunOptions): Promise<FirstRunFacts | undefined> => {
  const { store, clock } = deps
  if ((await store.read.settings.get(firstRunSetting)) !== undefined) return undefined
  const id = randomUUID()
  const operatorPassword = await newPassword(deps.passwords)
  const demoPassword = demo ? await newPassword(deps.passwords) : undefined
  return store.write(async (tables) => {
    if (!(await tables.settings.setOnce(firstRunSetting, id))) return undefined
    const operator = await createOperator(tables, clock, operatorPassword)
    const facts = { operator, demo: demoPassword && (await createDemoAccount(tables, deps, demoPassword)) }
    await tables.audit.append('operator', {
      at: clock.now(),
      actor: 'first-run',
      action: 'installation.create',
      target: id,
      detail: { demo },
    })
    await keep(id, facts)
    return facts
  })
}

const createOperator = async (tables: Tables, clock: Clock, { password, hash }: NewPassword): Promise<FirstRunFacts['operator']> => {
  const id = randomUUID()
  const operator = { id, email: operatorEmail, name: 'Operator', passwordHash: hash, createdAt: clock.now() }
  if (!(await tables.operators.insert(operator))) throw new Error(`there is already an operator ${operatorEmail}`)
  const holder = { operatorId: id }
  const token = await issueToken(tables, clock, { kind: 'operator', holder, subject: id, scopes: ['all'], name: 'first start' })
  return { email: operatorEmail, password, token }
}

interface DemoAccount {
  accountId: string
  email: string
  password: string
  /** Bearer token of the administrator that does not expire. */
  token: string
  sip: { user: string; password: string }
  number: string
  flowId: string
}

interface DemoDeps {
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

/** Creates a verified account with a balance, an administrator with a phone, and a Berlin number routed to a flow. */
const createDemoAccount = async (tables: Tables, deps: DemoDeps, { password, hash }: NewPassword): Promise<DemoAccount> => {
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

/** Same as entering the code. */
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

/** The Bundesnetzagentur reserves 030 23125-000 to -999 for films and books: such a number has no holder. */
const inventedNumber = (): string => `+493023125${String(randomInt(1000)).padStart(3, '0')}`

interface NewPassword {
  password: string
  hash: string
}

/** Hashing is slow by design, so it runs before the transaction. */
const newPassword = async (passwords: Passwords): Promise<NewPassword> => {
  const password = randomCharacters(20)
  return { password, hash: await passwords.hash(password) }
}
