import type { AccountFile, FileEntry, FileSection } from '@offhook/contract/account-file.ts'
import type { Client } from '@offhook/sdk/client-of.ts'
import { Mistake } from '../terminal/mistake.ts'
import { addGroupCompanions, addUserCompanions } from './account-snapshot.ts'
import type { Step } from './plan.ts'
import { referenceOf, translate, type References } from './references.ts'

/** The account that is written, and the operator where it takes part. */
export interface Target {
  api: Client
  references: References
  file: AccountFile
  operator?: { api: Client; accountId: string }
}

interface Writer<S extends FileSection> {
  /** Creates the resource, or sets what names no later entry. */
  ensure?(target: Target, step: Step<S>): Promise<void>
  /** Sets what can name any other entry. */
  connect?(target: Target, step: Step<S>): Promise<void>
}

const idOf = ({ references }: Target, { id, reference }: Step): string | undefined => id ?? references.find(reference)

/** A new user comes with a line: it becomes the first line that the file has for this user. */
export const adoptUser = async (target: Target, { id, email }: { id: string; email: string }): Promise<void> => {
  const { api, references, file } = target
  references.add(referenceOf.users({ email }), id)
  await addUserCompanions(api, references, { email, id })
  const [line] = (await api.listPhonelines({ userId: id })).items
  if (!line) return
  const name = firstLineOf(file, email) ?? line.alias
  if (name !== line.alias) await api.changePhoneline({ userId: id, phonelineId: line.id }, { alias: name })
  await adoptLine(target, { userId: id, phonelineId: line.id }, referenceOf.lines({ user: email, name }))
}

const firstLineOf = ({ lines = [] }: AccountFile, email: string): string | undefined =>
  lines.find(({ user }) => user.toLowerCase() === email.toLowerCase())?.name

interface LinePath {
  userId: string
  phonelineId: string
}

const adoptLine = async ({ api, references }: Target, line: LinePath, reference: string): Promise<void> => {
  references.add(reference, line.phonelineId)
  references.add(`voicemail:${reference}`, (await api.listPhonelineVoicemails(line)).items[0]?.id)
}

const users: Writer<'users'> = {
  async ensure(target, { entry, reference }) {
    const { api, references, file } = target
    const { email, password, ...fields } = entry
    const userId = references.find(reference)
    if (userId !== undefined) {
      await api.changeUser({ userId }, fields)
      return
    }
    const lineName = firstLineOf(file, email)
    const { id } = await api.addUser(
      {},
      { email, ...fields, ...(lineName !== undefined && { lineName }), ...(password !== undefined && { password }) },
    )
    await adoptUser(target, { id, email })
  },
}

const lineOf = (target: Target, step: Step<'lines'>): LinePath => ({
  userId: target.references.require(referenceOf.users({ email: step.entry.user })),
  phonelineId: idOf(target, step) ?? '',
})

const lines: Writer<'lines'> = {
  async ensure(target, step) {
    const { api } = target
    const line = lineOf(target, step)
    const alias = step.entry.name
    if (line.phonelineId === '') line.phonelineId = (await api.createPhoneline({ userId: line.userId }, { alias })).id
    else if (step.id !== undefined) await api.changePhoneline(line, { alias })
    await adoptLine(target, line, step.reference)
  },

  async connect(target, step) {
    const { api, references } = target
    const line = lineOf(target, step)
    const { blockAnonymous, busyOnBusy, voicemail, forwardings, parallelForwardings } = translate('lines', step.entry, references.idOf)
    if (blockAnonymous) await api.setBlockAnonymous(line, blockAnonymous)
    if (busyOnBusy !== undefined) await api.setBusyOnBusy(line, { enabled: busyOnBusy })
    if (voicemail) await api.changeVoicemail({ voicemailId: references.require(`voicemail:${step.reference}`) }, voicemail)
    if (forwardings) await api.replaceForwardings(line, { forwardings })
    if (parallelForwardings && step.differences.some(({ field }) => field === 'parallelForwardings'))
      await replaceParallel(api, line, parallelForwardings)
  },
}

const replaceParallel = async (
  api: Client,
  line: LinePath,
  wanted: NonNullable<FileEntry<'lines'>['parallelForwardings']>,
): Promise<void> => {
  const present = (await api.listParallelForwardings(line)).items
  for (const { id: parallelForwardingId } of present.slice(wanted.length))
    await api.deleteParallelForwarding({ ...line, parallelForwardingId })
  for (const [at, forwarding] of wanted.entries()) {
    const parallelForwardingId = present[at]?.id
    if (parallelForwardingId === undefined) await api.createParallelForwarding(line, forwarding)
    else await api.changeParallelForwarding({ ...line, parallelForwardingId }, forwarding)
  }
}

const groups: Writer<'groups'> = {
  async ensure(target, step) {
    const { api, references } = target
    const { id: _id, name, members, voicemail, ...fields } = step.entry
    const ids = members?.map((email) => references.require(referenceOf.users({ email })))
    const settings = { alias: name, ...fields, ...(ids && { members: ids }) }
    const present = idOf(target, step)
    const groupId = present ?? (await api.createGroup({}, settings)).id
    if (present !== undefined) await api.changeGroup({ groupId }, settings)
    references.add(step.reference, groupId)
    const { id: voicemailId } = (await addGroupCompanions(api, references, { name, id: groupId })) ?? {}
    if (voicemail && voicemailId !== undefined) await api.changeVoicemail({ voicemailId }, voicemail)
  },
}

const numbers: Writer<'numbers'> = {
  async ensure({ references, operator }, { entry, reference }) {
    if (references.find(reference) !== undefined) return
    const { number, address } = entry
    if (!operator) throw new Mistake(1, 'The account does not have this number. The operator assigns it: --operator')
    const { api, accountId } = operator
    const addressId = address && (await addressOf(api, accountId, address))
    const { id } = await api.assignNumber({}, { accountId, number, ...(addressId !== undefined && { addressId }) })
    references.add(reference, id)
  },

  async connect({ api, references }, { entry, reference }) {
    if (entry.to === undefined) return
    const endpointId = translate('numbers', entry, references.idOf).to ?? null
    await api.changeNumber({ numberId: references.require(reference) }, { endpointId })
  },
}

type Address = NonNullable<FileEntry<'numbers'>['address']>

/** The same address is stored once for all its numbers. */
const addressOf = async (api: Client, accountId: string, address: Address): Promise<string> => {
  const { countrycode, postcode, city, street = '', number = '', state = '' } = address
  const present = (await api.listAccountAddresses({ accountId })).items.find(
    (one) =>
      one.country === countrycode &&
      one.postalCode === postcode &&
      one.locality === city &&
      one.region === state &&
      one.streetAddress === `${street} ${number}`.trim(),
  )
  return present?.id ?? (await api.createAddress({}, { accountId, ...address })).id
}

const hours: Writer<'hours'> = {
  async ensure(target, step) {
    const { id: _id, ...schedule } = step.entry
    const present = idOf(target, step)
    if (present !== undefined) await target.api.changeSchedule({ scheduleId: present }, schedule)
    target.references.add(step.reference, present ?? (await target.api.createSchedule({}, schedule)).id)
  },
}

const flows: Writer<'flows'> = {
  async ensure(target, step) {
    const { api, references } = target
    const { id: _id, ...flow } = translate('flows', step.entry, references.idOf)
    const present = idOf(target, step)
    if (present !== undefined) await api.changeFlow({ aiFlowId: present }, flow)
    references.add(step.reference, present ?? (await api.createFlow({}, flow)).id)
  },
}

const assistants: Writer<'assistants'> = {
  async ensure({ api, references }, { entry }) {
    const { flow, publish = true, settings } = translate('assistants', entry, references.idOf)
    const aiFlowId = references.require(referenceOf.flows({ name: flow }))
    await api.changeAssistant({ aiFlowId }, { settings })
    if (!publish) return
    const [{ published }, { stable }] = [await api.getAssistant({ aiFlowId }), await api.getRollout({ aiFlowId })]
    if (published === undefined) await api.publishAssistant({ aiFlowId }, { note: 'offhook apply' })
    else if (published !== stable) await api.changeRollout({ aiFlowId }, { stable: published })
  },
}

const routes: Writer<'routes'> = {
  async connect({ api, references }, { entry }) {
    const { of, rules = [], overflow = [] } = translate('routes', entry, references.idOf)
    await api.setRouting({ target: of }, { rules: rules.map(({ hours: scheduleId, ...rule }) => ({ scheduleId, ...rule })), overflow })
  },
}

const writers: { [S in FileSection]: Writer<S> } = { users, lines, groups, numbers, hours, flows, assistants, routes }

/** Writes every entry that differs: first each by itself, in the order of the sections, then their connections. Yields what is there. */
export async function* writeSteps(target: Target, steps: readonly Step[]): AsyncGenerator<Step> {
  const due = steps.filter(({ action, hasSecrets }) => action !== 'keep' || hasSecrets)
  for (const phase of ['ensure', 'connect'] as const)
    for (const step of due) {
      const writer = writers[step.section] as Writer<FileSection>
      if (!writer[phase]) continue
      try {
        await writer[phase](target, step)
      } catch (error) {
        throw new StepFailed(step, error)
      }
      if (phase === 'ensure' || !writer.ensure) yield step
    }
}

/** The entry that could not be written. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly step: Step

  constructor(step: Step, cause: unknown) {
    super(`${step.reference} cannot be written`, { cause })
    this.step = step
  }
}
