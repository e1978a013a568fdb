import { randomInt, randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { isSupportedCountry } from 'libphonenumber-js/max'
import { hashSecret, randomCharacters } from '../identity/tokens/tokens.ts'
import type { UserRole } from '@offhook/contract/roles.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Feature, User } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { queueMail, type MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { Locale } from '#core/kernel/translations/index.ts'

interface AccountInput {
  company: string
  country: string
  locale: Locale
  currency: string
  mainProductType?: string
  tariffId?: string
}

/** Booked from the start; the integration (svcio) is booked by the operator on request. */
const initialFeatures: Feature[] = ['VOICEMAIL', 'FAX', 'SMS', 'CALLERID', 'RECORDING', 'GROUPS', 'TARIFFANNOUNCEMENT']

/** Creates an account without users and with a zero balance. */
export const createAccount = async (tables: Tables, clock: Clock, input: AccountInput): Promise<string> => {
  if (!isSupportedCountry(input.country)) throw Problem.field('country', 'is not the code of a country with phone numbers')
  const at = clock.now()
  const id = await claimId(tables, (candidate) => ({
    id: candidate,
    company: input.company,
    mainProductType: input.mainProductType ?? 'TEAM',
    logoUrl: '',
    domain: `${candidate}.offhook`,
    locale: input.locale,
    country: input.country,
    tariffId: input.tariffId,
    welcomeEnabled: true,
    createdAt: at,
    verificationCodeHash: undefined,
  }))
  for (const feature of initialFeatures) await tables.accounts.bookFeature(id, feature, at)
  await tables.balances.open(id, input.currency)
  return id
}

/** Seven random digits, so that ids do not reveal the number of accounts. */
const claimId = async (tables: Tables, make: (id: string) => Parameters<Tables['accounts']['insert']>[0]): Promise<string> => {
  for (let attempt = 0; attempt < 50; attempt++) {
    const id = String(randomInt(1_000_000, 10_000_000))
    if (await tables.accounts.insert(make(id))) return id
  }
  throw new Error('no free account id was found')
}

interface UserInput {
  email: string
  passwordHash: string
  firstname: string
  lastname: string
  /** Shorthand for the roles ADMIN and USER. */
  admin?: boolean
  role?: UserRole
  locale: Locale
  timezone?: string
  /** Name of the phone line; default: the user's name. */
  lineName?: string
}

/** Creates a user with a phone line with voicemail, a fax line and an SMS extension. */
export const createUser = async (tables: Tables, clock: Clock, accountId: string, input: UserInput): Promise<string> => {
  const at = clock.now()
  const alias = fullName(input)
  const id = await tables.extensions.create(accountId, { kind: 'w', alias, at })
  const { admin = false, role = admin ? 'ADMIN' : 'USER', lineName = '', ...rest } = input
  const user = {
    ...rest,
    role,
    id,
    subject: `f:${randomUUID()}:${id.slice(1)}`,
    defaultDevice: undefined,
    busyOnBusy: false,
    addressId: undefined,
    timezone: input.timezone ?? 'Europe/Berlin',
    createdAt: at,
  }
  if (!(await tables.users.insert(accountId, user))) throw Problem.field('email', 'is taken by another user', 'already_exists')
  const phoneline = await tables.phonelines.create(accountId, { owner: id, alias: lineName === '' ? alias : lineName, at })
  await tables.voicemails.create(accountId, { owner: phoneline, alias: `Voicemail ${alias}`.trim(), at })
  await tables.faxlines.create(accountId, { owner: id, alias: `Fax ${alias}`.trim(), at })
  await tables.smsLines.create(accountId, { owner: id, alias: `SMS ${alias}`.trim(), at })
  return id
}

/** Sends a fresh code to the holder; only its hash is stored. */
export const sendVerificationCode = async (tables: Tables, room: MailContext, accountId: string, to: string): Promise<void> => {
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  const code = randomCharacters(8).toUpperCase()
  await tables.accounts.setVerificationCode(accountId, hashSecret(code))
  await queueMail(tables, room, { accountId, to, locale: account.locale, template: 'verification', values: { code } })
}

/** Display name. */
export const fullName = ({ firstname, lastname }: Pick<User, 'firstname' | 'lastname'>): string => `${firstname} ${lastname}`.trim()
