import type { AccountFile, FileEntry } from '@offhook/contract/account-file.ts'
import { ApiError, type Client as Api } from '@offhook/sdk/client-of.ts'
import { References, referenceOf, translate } from './references.ts'
import { assistantPlaces, SecretNames } from './secrets.ts'

/** An account as it is: as a file, and with the ids of its resources. */
export interface Snapshot {
  file: AccountFile
  references: References
  /** Drafts of assistants that differ from what is published, by the name of the flow. */
  drafts: Map<string, FileEntry<'assistants'>>
}

/** Reads everything that a file can hold, in the order of creation. */
export const readSnapshot = async (api: Api): Promise<Snapshot> => {
  const references = new References()
  const names = new SecretNames()
  const drafts: Snapshot['drafts'] = new Map()
  const [account, balance] = [await api.getAccount(), await api.getBalance()]
  const { company, mainProductType, logoUrl, country, locale } = account
  const users = await readUsers(api, references, names)
  const lines = await readLines(api, references)
  const groups = await readGroups(api, references)
  const numbers = await readNumbers(api, references)
  const schedules = (await api.listSchedules()).items
  for (const { id, name } of schedules) references.add(referenceOf.hours({ name }), id)
  const hours = schedules.map(({ name, timeZone, week, days }) => ({ name, timeZone, week, days }))
  const flows = await readFlows(api, references, names)
  const assistants = await readAssistants(api, references, { names, drafts, flows })
  const file: AccountFile = {
    account: { company, mainProductType, logoUrl, country, locale, currency: balance.currency },
    users,
    lines: lines.map((line) => translate('lines', line, references.nameOf)),
    groups,
    numbers: numbers.map((number) => translate('numbers', number, references.nameOf)),
    hours: hours.toSorted((a, b) => compare(a.name, b.name)),
    flows: flows.map((flow) => translate('flows', flow, references.nameOf)),
    assistants: assistants.map((assistant) => translate('assistants', assistant, references.nameOf)),
    routes: await readRoutes(api, references, { lines, groups, numbers, flows }),
  }
  for (const [name, draft] of drafts) drafts.set(name, translate('assistants', draft, references.nameOf))
  return { file, references, drafts }
}

/** Names, so that two files can be compared whatever the language of the machine. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Extensions are counted in each account: w2 was created before w10. */
const byId = (a: { id: string }, b: { id: string }): number => Number(a.id.slice(1)) - Number(b.id.slice(1))

const readUsers = async (api: Api, references: References, names: SecretNames): Promise<FileEntry<'users'>[]> => {
  const users: FileEntry<'users'>[] = []
  for (const { id, email, firstname, lastname, role, locale, timezone, active } of (await api.listUsers()).items.toSorted(byId)) {
    if (!active) continue
    const user = { email, firstname, lastname, role, locale, timezone, password: names.of('PASSWORD', email) }
    users.push(user)
    references.add(referenceOf.users(user), id)
    await addUserCompanions(api, references, { email, id })
  }
  return users
}

/** A user comes with a fax line and an SMS extension. */
export const addUserCompanions = async (api: Api, references: References, { email, id }: { email: string; id: string }): Promise<void> => {
  const [faxlines, sms] = [await api.listFaxlines({ userId: id }), await api.listSms({ userId: id })]
  references.add(`fax:${email.toLowerCase()}`, faxlines.items[0]?.id)
  references.add(`sms:${email.toLowerCase()}`, sms.items[0]?.id)
}

/** By user, because the first line of a user is created with the user. */
const readLines = async (api: Api, references: References): Promise<FileEntry<'lines'>[]> => {
  const lines: FileEntry<'lines'>[] = []
  for (const { id: userId, email, active } of (await api.listUsers()).items.toSorted(byId)) {
    if (!active) continue
    for (const { id: phonelineId, alias } of (await api.listPhonelines({ userId })).items) {
      const path = { userId, phonelineId }
      const reference = referenceOf.lines({ user: email, name: alias })
      references.add(reference, phonelineId)
      const [voicemail] = (await api.listPhonelineVoicemails(path)).items
      references.add(`voicemail:${reference}`, voicemail?.id)
      const { items: forwardings } = await api.listForwardings(path)
      const { items: parallel } = await api.listParallelForwardings(path)
      lines.push({
        user: email,
        name: alias,
        blockAnonymous: await api.getBlockAnonymous(path),
        busyOnBusy: (await api.getBusyOnBusy(path)).enabled,
        forwardings: forwardings.map(({ destination, timeout, active: isOn }) => ({ destination, timeout, active: isOn })),
        parallelForwardings: parallel.map(({ alias: name, destination, active: isOn }) => ({ alias: name, destination, active: isOn })),
        ...(voicemail && { voicemail: voicemailOf(voicemail) }),
      })
    }
  }
  return lines
}

const voicemailOf = ({ active, timeout, transcription }: { active: boolean; timeout: number; transcription: boolean }) => ({
  active,
  timeout,
  transcription,
})

const readGroups = async (api: Api, references: References): Promise<FileEntry<'groups'>[]> => {
  const groups: FileEntry<'groups'>[] = []
  for (const { id } of (await api.listGroups()).items.toSorted(byId)) {
    const { alias, strategy, ringSeconds, departmentId, members, faxline } = await api.getGroup({ groupId: id })
    references.add(referenceOf.groups({ name: alias }), id)
    const voicemail = await addGroupCompanions(api, references, { name: alias, id })
    groups.push({
      name: alias,
      strategy,
      ringSeconds,
      ...(departmentId !== undefined && { departmentId }),
      members: members.map((member) => references.nameOf(member).replace(/^user:/, '')),
      faxline,
      ...(voicemail && { voicemail: voicemailOf(voicemail) }),
    })
  }
  return groups
}

/** Returns the voicemail of a group. */
export const addGroupCompanions = async (api: Api, references: References, { name, id }: { name: string; id: string }) => {
  const [voicemail] = (await api.listGroupVoicemails({ groupId: id })).items
  references.add(`voicemail:group:${name}`, voicemail?.id)
  references.add(`fax:group:${name}`, (await api.listGroupFaxlines({ groupId: id })).items[0]?.id)
  return voicemail
}

const readNumbers = async (api: Api, references: References): Promise<FileEntry<'numbers'>[]> => {
  const places = new Map<string, FileEntry<'numbers'>['address']>()
  for (const { id, streetAddress, locality, region, postalCode, country, extendedAddress } of (await api.listAddresses()).items) {
    const address = {
      countrycode: country,
      postcode: postalCode,
      city: locality,
      ...(streetAddress !== '' && { street: streetAddress }),
      ...(region !== '' && { state: region }),
      ...(extendedAddress !== '' && { address1: extendedAddress }),
    }
    for (const number of (await api.listAddressNumbers({ addressId: id })).items) places.set(number.id, address)
  }
  const owned = (await api.listNumbers()).items.filter(({ type, state }) => type !== 'QUICKDIAL' && state !== 'PORTED_OUT')
  for (const { id, number } of owned) references.add(referenceOf.numbers({ number }), id)
  const numbers = owned.map(({ id, number, endpointId }) => {
    const address = places.get(id)
    return { number, ...(address && { address }), to: endpointId === '' ? null : endpointId }
  })
  return numbers.toSorted((a, b) => compare(a.number, b.number))
}

const readFlows = async (api: Api, references: References, names: SecretNames): Promise<FileEntry<'flows'>[]> => {
  const flows = (await api.listFlows()).items.toSorted((a, b) => compare(a.name, b.name))
  return flows.map((flow) => {
    references.add(referenceOf.flows(flow), flow.id)
    const { id: _id, version: _version, health: _health, speech: _speech, listener: _listener, ...rest } = flow
    const { apiKeySet, disabledBecause: _because, ...settings } = rest
    return { ...settings, ...(apiKeySet && { apiKey: names.of('FLOW', flow.name, 'API_KEY') }) }
  })
}

interface Gathering {
  names: SecretNames
  drafts: Snapshot['drafts']
  flows: readonly FileEntry<'flows'>[]
}

/** The stable version is what callers get; without one, the draft. */
const readAssistants = async (
  api: Api,
  references: References,
  { names, drafts, flows }: Gathering,
): Promise<FileEntry<'assistants'>[]> => {
  const assistants: FileEntry<'assistants'>[] = []
  for (const { name: flow } of flows) {
    const aiFlowId = references.require(referenceOf.flows({ name: flow }))
    const written = await api.getAssistant({ aiFlowId }).catch((error: unknown) => {
      if (error instanceof ApiError && error.body.code === 'assistant_not_set') return undefined
      throw error
    })
    if (!written) continue
    const draft = { flow, publish: false, settings: withPlaceholders(written.settings, new SecretNames(), flow) }
    const { stable } = await api.getRollout({ aiFlowId })
    if (stable === undefined) assistants.push({ ...draft, settings: withPlaceholders(written.settings, names, flow) })
    else {
      const { settings } = await api.getAssistantVersion({ aiFlowId, version: String(stable) })
      drafts.set(flow, draft)
      assistants.push({ flow, settings: withPlaceholders(settings, names, flow) })
    }
  }
  return assistants
}

type Settings = FileEntry<'assistants'>['settings']
type Shown = Awaited<ReturnType<Api['getAssistant']>>['settings']

/** A set secret becomes a reference to a variable. */
const withPlaceholders = (shown: Shown, names: SecretNames, flow: string): Settings => {
  const settings = structuredClone(shown) as Settings
  for (const { holder, field, path } of assistantPlaces(settings)) {
    const { api_key_set: isSet, name } = holder
    delete holder['api_key_set']
    if (field === 'api_key' && isSet !== true) continue
    holder[field] = names.of('ASSISTANT', flow, ...path.map(String), field === 'value' ? String(name) : field)
  }
  return settings
}

const readRoutes = async (
  api: Api,
  references: References,
  { lines, groups, numbers, flows }: Required<Pick<AccountFile, 'lines' | 'groups' | 'numbers' | 'flows'>>,
): Promise<FileEntry<'routes'>[]> => {
  const routes: FileEntry<'routes'>[] = []
  const targets = [
    ...lines.map(referenceOf.lines),
    ...groups.map(referenceOf.groups),
    ...numbers.map(referenceOf.numbers),
    ...flows.map(referenceOf.flows),
  ]
  for (const of of targets) {
    const { rules, overflow } = await api.getRouting({ target: references.require(of) })
    if (rules.length + overflow.length === 0) continue
    const named = rules.map(({ scheduleId, ...rule }) => ({ hours: references.nameOf(scheduleId).replace(/^hours:/, ''), ...rule }))
    routes.push(translate('routes', { of, rules: named, overflow }, references.nameOf))
  }
  return routes
}
