import { setTimeout as wait } from 'node:timers/promises'
import type { AccountFile } from '@offhook/contract/account-file.ts'
import { createClient, type Client } from '@offhook/sdk'
import { environmentWithFile } from '#settings/config-file.ts'
import { baseUrlOf, firstRunNotes, tokenOf, type ConnectionOptions } from '../connection/connection.ts'
import { Mistake } from '../terminal/mistake.ts'

/** Access to an account, as an administrator and, if asked for, as the operator. */
export interface Session {
  baseUrl: string
  /** Undefined: the operator has yet to create the account. */
  api?: Client
  operator?: { api: Client; accountId?: string }
  /** Logs in as the first administrator of the file. */
  logIn(): Promise<Client>
  close(): Promise<void>
}

export interface SessionOptions extends ConnectionOptions {
  operator?: boolean
}

export const openSession = async (options: SessionOptions, account: AccountFile['account'], admin: Admin | undefined): Promise<Session> => {
  const notes = await firstRunNotes()
  const baseUrl = await baseUrlOf(options, notes)
  const clientWith = (token: string | undefined): Client =>
    createClient({ baseUrl, fetch: patientFetch(), ...(token !== undefined && { token }) })
  if (options.operator !== true) {
    const api = clientWith(tokenOf(options, notes))
    return { baseUrl, api, logIn: () => Promise.resolve(api), close: () => Promise.resolve() }
  }

  let opened: Client | undefined
  const session: Session = {
    baseUrl,
    async logIn() {
      if (admin?.password === undefined)
        throw new Mistake(
          2,
          'As the operator: set OFFHOOK_TOKEN, or the password of the first user with the role ADMIN, to change the account.',
        )
      const { token } = await clientWith(undefined).createSessionToken({}, { username: admin.email, password: admin.password })
      opened = clientWith(token)
      return opened
    },
    close: async () => opened?.deleteSessionToken(),
  }
  const environment = environmentWithFile(process.env)
  const operatorToken = environment['OFFHOOK_OPERATOR_TOKEN'] ?? notes.operator?.token
  if (operatorToken === undefined)
    throw new Mistake(2, 'The operator’s token is needed: OFFHOOK_OPERATOR_TOKEN, or data/first-run.json of the first start.')
  if (!account) throw new Mistake(2, 'As the operator: say which account: account: { company: … }')
  const api = clientWith(operatorToken)
  const found = await findAccount(api, account)
  session.operator = { api, ...(found && { accountId: found.id }) }
  if (!found) return session
  const token = options.token ?? environment['OFFHOOK_TOKEN']
  session.api = token === undefined ? await session.logIn() : clientWith(token)
  if ((await session.api.getUserInfo()).domain !== found.domain)
    throw new Mistake(2, `The token belongs to another account than ${account.company} (${found.id}). Use one of its administrators.`)
  return session
}

interface Admin {
  email: string
  password?: string
}

const findAccount = async (api: Client, { id, company }: NonNullable<AccountFile['account']>) => {
  const byId = id === undefined || !/^\d{1,20}$/.test(id) ? [] : (await api.listAccounts({ ids: id })).items
  if (byId[0]) return byId[0]
  const named = (await api.listAccounts({ search: company })).items.filter((one) => one.company === company)
  if (named.length > 1) throw new Mistake(2, `${named.length} accounts are named ${company}. Say which one: account: { id: … }`)
  return named[0]
}

const maxRetries = 20

/** A large account is more requests than a token may send at once: waits as long as the service says. */
const patientFetch = (): typeof fetch => async (input, init) => {
  for (let retry = 0; ; retry++) {
    const reply = await fetch(input, init)
    const after = Number(reply.headers.get('retry-after'))
    if (reply.status !== 429 || retry === maxRetries || !(after > 0 && after <= 30)) return reply
    await reply.body?.cancel()
    await wait(after * 1000)
  }
}
