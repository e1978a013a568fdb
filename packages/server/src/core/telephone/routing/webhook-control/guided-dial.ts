import { isEmergency } from '#core/account/numbers/emergency.ts'
import { parseNumber, type PhoneNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { CallerIdentity } from '#core/kernel/ports/telephony.ts'
import type { DialVerb, Guided } from './guided-call.ts'
import { phonesAt } from '../plan/phones.ts'
import { distinct } from '../plan/plan-line.ts'
import { ringSeconds, type Place, type Plan, type Step } from '../plan/plan.ts'
import type { Search } from '../search/search.ts'
import type { Identities } from '../inbound/request.ts'

const maxNumbers = 5

const hidden: CallerIdentity = { number: undefined, name: '', withheld: true }

/** Rings these numbers instead of the extension's plan, at the account's cost. Undefined when none is valid: the verb is ignored. */
export const dialInstead = async (search: Search, plan: Plan, place: Place, verb: DialVerb): Promise<Guided | undefined> => {
  const { read } = search.context.store
  return search.context.tasks.track(
    (async () => {
      const account = await read.accounts.find(place.accountId)
      const steps = account && (await stepsFor(read, account, place, { plan, verb }))
      return steps && { plan: { ...plan, steps }, seenAs: await shownAs(read, account, verb, search.seenAs) }
    })(),
  )
}

const stepsFor = async (
  tables: Tables,
  account: Account,
  place: Place,
  { plan, verb }: { plan: Plan; verb: DialVerb },
): Promise<readonly Step[] | undefined> => {
  const numbers = readNumbers(verb.numbers, account)
  if (numbers.length === 0 && !verb.voicemail) return undefined
  const allowed = numbers.filter(({ premium }) => !premium).map(({ e164 }) => e164)
  const [only] = allowed
  if (only !== undefined && allowed.length === 1 && (await leadsTo(tables, place, only))) return plan.steps
  const voicemail = verb.voicemail ? await voicemailOf(tables, place) : []
  if (numbers.length === 0) return voicemail.length > 0 ? voicemail : [{ kind: 'reject', cause: 'unavailable' }]
  return [await ringAll(tables, account, allowed), ...voicemail]
}

/** A single number is called like a forwarding, wherever it is routed. Several ring in parallel, so only phones count. */
const ringAll = async (tables: Tables, account: Account, numbers: readonly string[]): Promise<Step> => {
  const [only] = numbers
  if (only !== undefined && numbers.length === 1) return { kind: 'forward', to: only, seconds: ringSeconds, ordered: true }
  const phones = await Promise.all(numbers.map((e164) => phonesAt(tables, account, e164)))
  return { kind: 'ring', phones: distinct(phones.flat()), seconds: ringSeconds, ifNone: 'unavailable' }
}

const leadsTo = async (tables: Tables, { accountId, extension }: Place, e164: string): Promise<boolean> => {
  const here = await tables.numbers.findCallable(e164)
  return here?.accountId === accountId && (here.endpointId ?? here.flowId) === extension
}

const voicemailOf = async (tables: Tables, { accountId, extension }: Place): Promise<Step[]> => {
  const [voicemail] = await tables.voicemails.listByOwner(accountId, extension)
  return voicemail ? [{ kind: 'voicemail', voicemailId: voicemail.id }] : []
}

/** Without duplicates. Software must not call emergency numbers. */
export const readNumbers = (written: readonly string[], { country }: Account): PhoneNumber[] => {
  const numbers = written.flatMap((number) => (isEmergency(number, country) ? [] : (parseNumber(number, country) ?? [])))
  return [...new Map(numbers.map((number) => [number.e164, number])).values()].slice(0, maxNumbers)
}

/** Only a number of the account can be shown; any other is ignored. */
export const shownAs = async (
  tables: Tables,
  account: Account,
  { callerId, anonymous }: DialVerb,
  { outside }: Identities,
): Promise<Identities | undefined> => {
  const own = callerId === undefined ? undefined : await ownNumber(tables, account, callerId)
  // Trunks need a number even if it is withheld.
  if (anonymous) return { inside: hidden, outside: { number: own ?? outside.number, name: '', withheld: true } }
  if (own === undefined) return undefined
  const shown = { number: own, name: '', withheld: false }
  return { inside: shown, outside: shown }
}

const ownNumber = async (tables: Tables, { id, country }: Account, written: string): Promise<string | undefined> => {
  const e164 = parseNumber(written, country)?.e164
  const number = e164 === undefined ? undefined : await tables.numbers.findByE164(id, e164)
  return number?.state === 'ACTIVE' ? e164 : undefined
}
