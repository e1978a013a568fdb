import { randomUUID } from 'node:crypto'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Passwords } from '#core/kernel/ports/identity/passwords.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { createDemoAccount, type DemoAccount } from './demo-account.ts'
import { newPassword, type NewPassword } from './new-password.ts'

export interface FirstRunDeps {
  store: Store
  clock: Clock
  vault: Vault
  passwords: Passwords
  installation: { currency: string }
}

/** What only the first start can say, because afterwards the secrets are known as hashes. */
export interface FirstRunFacts {
  operator: { email: string; password: string; token: string }
  demo: DemoAccount | undefined
}

/** `id` names this first start; when `keep` resolves the facts must be stored safely. */
export interface FirstRunOptions {
  demo: boolean
  keep: (id: string, facts: FirstRunFacts) => Promise<void>
}

/** Set to the id of the first start once it is over. */
export const firstRunSetting = 'first_run'

const operatorEmail = 'operator@offhook.local'

/**
 * Fills an empty store, once: of several processes that start together only one finds the setting free. The facts are kept before the
 * transaction ends, so that there is never an installation with unknown passwords. Undefined when the first start is long over.
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
