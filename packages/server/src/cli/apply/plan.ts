import { isDeepStrictEqual } from 'node:util'
import { fileSections, type AccountFile, type FileEntry, type FileSection } from '@offhook/contract/account-file.ts'
import { Mistake } from '../terminal/mistake.ts'
import type { Snapshot } from './account-snapshot.ts'
import type { ReadFile } from './read-account-file.ts'
import { companions, referenceOf, referencesIn, translate } from './references.ts'
import { assistantPlaces, type MissingSecret } from './secrets.ts'

/** A field that differs; undefined: not set. */
export interface Difference {
  field: string
  before: unknown
  after: unknown
}

/** An entry of the file, and what applying it changes. */
export interface Step<S extends FileSection = FileSection> {
  section: S
  /** As written, with names instead of ids. */
  entry: FileEntry<S>
  reference: string
  line: number
  /** Id of the resource that the entry names; undefined: it is found by its name, or created. */
  id: string | undefined
  action: 'create' | 'change' | 'keep'
  differences: Difference[]
  /** Secrets cannot be compared: those that are set are written again. */
  hasSecrets: boolean
}

export interface Plan {
  account: Difference[]
  steps: Step[]
}

/** Fields left out of these entries are unset; in other entries they stay. */
const whole: readonly FileSection[] = ['hours', 'flows', 'assistants', 'routes']

/** Compares the file with the account. Throws a Mistake that names the line when an entry cannot be applied. */
export const makePlan = (read: ReadFile, file: string, snapshot: Snapshot | undefined, missing: readonly MissingSecret[]): Plan => {
  const planner = new Planner(read, file, snapshot)
  const steps = fileSections.flatMap((section) => planner.steps(section))
  for (const { section, at, name } of missing) {
    const step = steps.filter((one) => one.section === section)[at]
    if (section === 'users' || step?.action !== 'create') continue
    throw new Mistake(2, `${file}:${step.line}: ${step.reference}: ${name} is not set. Set it, or leave the secret out.`)
  }
  return { account: planner.account(), steps }
}

class Planner {
  readonly #content: AccountFile
  readonly #lineOf: ReadFile['lineOf']
  readonly #file: string
  readonly #snapshot: Snapshot | undefined
  /** References of the file, with their companions. */
  readonly #known = new Set<string>()

  constructor({ content, lineOf }: ReadFile, file: string, snapshot: Snapshot | undefined) {
    this.#content = content
    this.#lineOf = lineOf
    this.#file = file
    this.#snapshot = snapshot
    for (const section of fileSections)
      for (const [at, entry] of (content[section] ?? []).entries()) {
        const reference = nameOf(section, entry)
        if (this.#known.has(reference)) throw this.#mistake(section, at, `${reference} is there twice.`)
        for (const one of [reference, ...companions(reference)]) this.#known.add(one)
      }
  }

  account(): Difference[] {
    return differencesOf(this.#content.account ?? {}, this.#snapshot?.file.account ?? {}, ['id'])
  }

  steps<S extends FileSection>(section: S): Step[] {
    const entries = (this.#content[section] ?? []) as FileEntry<S>[]
    return entries.map((written, at) => {
      const entry = translate(section, written, this.#snapshot?.references.nameOf ?? ((text) => text))
      this.#requireReferences(section, entry, at)
      const reference = nameOf(section, entry)
      const id = this.#idOf(entry, reference)
      const actual = this.#actual(section, entry, id === undefined ? reference : (this.#snapshot?.references.nameOf(id) ?? reference))
      const differences = compareEntries(section, entry, actual)
      const action = actual === undefined ? 'create' : differences.length > 0 ? 'change' : 'keep'
      return {
        section,
        entry,
        reference,
        line: this.#lineOf([section, at]),
        id,
        action,
        differences,
        hasSecrets: hasSecrets(section, entry),
      }
    })
  }

  /** An id of another installation counts for nothing: the entry is found by its name. */
  #idOf(entry: FileEntry<FileSection>, reference: string): string | undefined {
    const id = 'id' in entry ? entry.id : undefined
    if (id === undefined || !this.#snapshot) return undefined
    const kind = reference.slice(0, reference.indexOf(':') + 1)
    return this.#snapshot.references.nameOf(id).startsWith(kind) ? id : undefined
  }

  #actual<S extends FileSection>(section: S, entry: FileEntry<S>, reference: string): FileEntry<S> | undefined {
    if (!this.#snapshot) return undefined
    const { file, references, drafts } = this.#snapshot
    references.find(reference)
    const draft = 'publish' in entry && !entry.publish ? drafts.get(entry.flow) : undefined
    const found = (file[section] as FileEntry<S>[] | undefined)?.find((one) => nameOf(section, one) === reference)
    return draft ?? found
  }

  #requireReferences<S extends FileSection>(section: S, entry: FileEntry<S>, at: number): void {
    const users = 'members' in entry ? (entry.members ?? []) : 'user' in entry ? [entry.user] : []
    const flow = 'flow' in entry ? [referenceOf.flows({ name: entry.flow })] : []
    const needed = [...users.map((email) => referenceOf.users({ email })), ...flow, ...referencesIn(section, entry)]
    for (const reference of needed)
      if (!this.#known.has(reference) && this.#snapshot?.references.find(reference) === undefined)
        throw this.#mistake(section, at, `${reference} is neither in the file nor in the account.`)
  }

  #mistake(section: FileSection, at: number, problem: string): Mistake {
    return new Mistake(2, `${this.#file}:${this.#lineOf([section, at])}: ${section}[${at + 1}]: ${problem}`)
  }
}

const nameOf = <S extends FileSection>(section: S, entry: FileEntry<S>): string =>
  (referenceOf[section] as (entry: FileEntry<S>) => string)(entry)

const hasSecrets = (section: FileSection, entry: FileEntry<FileSection>): boolean => {
  if (section === 'flows') return 'apiKey' in entry && typeof entry.apiKey === 'string'
  return 'settings' in entry && assistantPlaces(entry.settings).some(({ holder, field }) => typeof holder[field] === 'string')
}

const compareEntries = <S extends FileSection>(section: S, entry: FileEntry<S>, actual: FileEntry<S> | undefined): Difference[] => {
  const [after, before] = [comparable(section, entry), actual ? comparable(section, actual) : {}]
  if (whole.includes(section)) return [...differencesOf({ ...unset(before), ...after }, before), ...keyDifference(entry, actual)]
  const { voicemail } = after as { voicemail?: object }
  const { voicemail: present } = before as { voicemail?: object }
  return differencesOf({ ...after, ...(voicemail && { voicemail: { ...present, ...voicemail } }) }, before)
}

/** A key is left out to keep it, and null to remove it. */
const keyDifference = (entry: { apiKey?: string | null } | object, actual: { apiKey?: string | null } | object = {}): Difference[] => {
  const [after, before] = [entry, actual].map((one) => ('apiKey' in one ? one.apiKey : undefined))
  if (after === undefined || (after === null) === (before === undefined)) return []
  return [{ field: 'apiKey', before: before === undefined ? undefined : '(secret)', after: after === null ? null : '(secret)' }]
}

const unset = (fields: object): object => Object.fromEntries(Object.keys(fields).map((name) => [name, undefined]))

/** Without what cannot be compared, and with what defaults mean. */
const comparable = (section: FileSection, entry: FileEntry<FileSection>): object => {
  const { id: _id, ...fields } = structuredClone(entry) as unknown as Record<string, unknown>
  if (section === 'users') return { ...fields, email: String(fields['email']).toLowerCase(), password: undefined }
  if (section === 'lines') return { ...fields, user: String(fields['user']).toLowerCase() }
  if (section === 'numbers') return { ...fields, address: undefined }
  if (section === 'routes') return { rules: [], overflow: [], ...fields }
  if (section === 'assistants') {
    const assistant = { publish: true, ...fields } as FileEntry<'assistants'>
    for (const { holder, field } of assistantPlaces(assistant.settings)) delete holder[field]
    return assistant
  }
  return section === 'flows' ? comparableFlow(fields as FileEntry<'flows'>) : fields
}

const comparableFlow = ({ endpoint, protocol, media, extended_events: events, apiKey: _key, ...flow }: FileEntry<'flows'>): object => ({
  ...flow,
  ...(endpoint === 'assistant' && { endpoint }),
  ...(protocol !== undefined && protocol !== 'offhook' && { protocol }),
  ...(media && media.mode !== 'text' && { media }),
  ...(events !== undefined && events !== false && { extended_events: events }),
})

/** Fields of `after` that `before` has not; nested objects are compared field by field. */
const differencesOf = (after: object, before: object, ignored: readonly string[] = [], at = ''): Difference[] =>
  Object.entries(after).flatMap(([name, value]: [string, unknown]) => {
    const present = (before as Record<string, unknown>)[name]
    const field = at === '' ? name : `${at}.${name}`
    if (ignored.includes(name) || isDeepStrictEqual(value ?? undefined, present ?? undefined)) return []
    if (isRecord(value) && isRecord(present)) return differencesOf({ ...unset(present), ...value }, present, [], field)
    return [{ field, before: present, after: value }]
  })

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)
