import { Problem } from '@offhook/contract/problem.ts'
import type { ContactImport, ImportOutcome } from '@offhook/contract/v1/contacts.ts'
import type { Static } from 'typebox'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Contact } from '#core/kernel/ports/store/account.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { decodeBase64 } from '#core/kernel/base64.ts'
import { Slices } from '#core/kernel/work/slices.ts'
import { maxContacts, maxLength, readContact } from '../contact-entry.ts'
import { contactPages } from '../contact-pages.ts'
import { folded } from '../names.ts'
import { maxValues, type Card } from './card.ts'
import { readContactCsv } from './contact-csv.ts'
import { readVcards } from './vcard.ts'

type Input = Static<typeof ContactImport>
type Outcome = Static<typeof ImportOutcome>
type Duplicates = NonNullable<Input['duplicates']>
type Entry = Omit<Contact, 'id' | 'owner'>

interface ImportDeps {
  store: Store
  clock: Clock
  newId: () => string
  /** Resolves in the next turn of the event loop. */
  breathe: () => Promise<void>
}

/** Characters read per slice of work; a number costs as much as a few hundred characters. */
const sliceBudget = 40_000
const rowCost = 40
const maxBytes = 5 * 1024 * 1024
const valueCost = 400
const maxProblems = 100
const maxShown = 20
/** Contacts, numbers and addresses per transaction: each number is a row, too. */
const batchBudget = 200

/** Reads a file and writes new or changed contacts in small transactions; `dryRun` only reports. A retry after a failure imports the rest. */
export const importContacts = async (deps: ImportDeps, caller: UserCaller, input: Input): Promise<Outcome> => {
  const account = await deps.store.read.accounts.find(caller.accountId)
  if (!account) throw new Problem('account_not_found')
  const { entries, problems } = await readEntries(deps, input, account.country)
  const plan = new ImportPlan(input.duplicates ?? 'MERGE')
  const slices = new Slices(deps.breathe, sliceBudget)
  for await (const page of contactPages(deps.store.read, caller, deps.breathe))
    for (const contact of page) {
      if (caller.admin || contact.owner === caller.userId) plan.know(contact)
      await slices.spend(valueCost)
    }
  for (const entry of entries) {
    plan.take(entry)
    await slices.spend(valueCost)
  }
  await refuseTooMany(deps.store.read, caller.accountId, plan.created.length)
  if (input.dryRun !== true) await carryOut(deps, caller, plan)
  const { created, changed, skipped, preview } = plan
  return { created: created.length, merged: changed.size, skipped, problems, preview }
}

/** UTF-16 by its byte order mark, UTF-8, else Windows-1252. Rejects other files with zero bytes as binary. */
const textOf = (bytes: Buffer): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes.includes(0)) throw new Problem('file_unreadable', 'The file is not a text file.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Reads card by card, so that an oversized or hostile file is rejected early. */
const readEntries = async ({ breathe }: ImportDeps, { format, base64Content, columns, shared = false }: Input, country: string) => {
  const bytes = await decodeBase64(base64Content, breathe)
  if (!bytes) throw Problem.field('base64Content', 'is no Base64')
  if (bytes.length > maxBytes) throw Problem.field('base64Content', 'is larger than 5 MB')
  const text = textOf(bytes)
  await breathe()
  const slices = new Slices(breathe, sliceBudget)
  const entries: Entry[] = []
  const problems: Outcome['problems'] = []
  const note = (line: number, message: string): void => {
    if (problems.length < maxProblems) problems.push({ line, message })
  }
  let cards = 0
  for (const { card, characters } of format === 'VCARD' ? readVcards(text) : readContactCsv(text, columns)) {
    const pause = slices.spend(characters + rowCost)
    if (pause) await pause
    if (!card) continue
    if (++cards > maxContacts)
      throw new Problem('contact_limit_reached', `The file has more than ${maxContacts} contacts; import it in parts.`)
    const readable = (field: 'numbers' | 'emails'): string[] =>
      card[field].flatMap((value) => readValue(field, value, country, (message) => note(card.line, message)))
    const [numbers, emails] = [readable('numbers'), readable('emails')]
    await slices.spend((card.numbers.length + card.emails.length) * valueCost)
    const name = nameOf(card, numbers, emails)
    if (name === undefined) note(card.line, 'has neither a name nor a number')
    else entries.push({ name, numbers: [...new Set(numbers)], emails: [...new Set(emails)], shared })
  }
  if (cards === 0) throw new Problem('file_unreadable', 'There is no contact in the file.')
  return { entries, problems }
}

const readValue = (field: 'numbers' | 'emails', value: string, country: string, onProblem: (message: string) => void): string[] => {
  try {
    if (value.length > maxLength[field]) throw Problem.field(`${field}/0`, `has more than ${maxLength[field]} characters`)
    return readContact({ name: '-', [field]: [value] }, country)[field]
  } catch (error) {
    onProblem(error instanceof Problem ? error.message : 'cannot be read')
    return []
  }
}

const nameOf = (card: Card, numbers: readonly string[], emails: readonly string[]): string | undefined => {
  const name = card.name
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 200)
  return name === '' ? (numbers[0] ?? emails[0]) : name
}

/** Contacts with the same name or a common number are the same contact, also inside the file. */
class ImportPlan {
  readonly created: Entry[] = []
  readonly changed = new Set<Contact>()
  readonly preview: NonNullable<Outcome['preview']> = []
  skipped = 0
  readonly #duplicates: Duplicates
  readonly #index = new Map<string, Entry>()

  constructor(duplicates: Duplicates) {
    this.#duplicates = duplicates
  }

  /** Adds an existing contact that this user may change. */
  know(contact: Contact): void {
    this.#learn({ ...contact })
  }

  take(entry: Entry): void {
    const key = keysOf(entry).find((one) => this.#index.has(one))
    const same = key === undefined ? undefined : this.#index.get(key)
    const action = same ? applied(same, entry, this.#duplicates) : 'CREATED'
    if (!same) this.created.push(entry)
    else if (action === 'SKIPPED') this.skipped += 1
    else if (isStored(same)) this.changed.add(same)
    this.#learn(same ?? entry)
    const { name, numbers, emails } = entry
    if (this.preview.length < maxShown) this.preview.push({ name, numbers, emails, action })
  }

  #learn(entry: Entry): void {
    for (const key of keysOf(entry)) if (!this.#index.has(key)) this.#index.set(key, entry)
  }
}

const isStored = (entry: Entry): entry is Contact => 'id' in entry

const keysOf = ({ name, numbers, shared }: Entry): string[] => [
  `${shared} ${folded(name)}`,
  ...numbers.map((number) => `${shared} ${number}`),
]

const applied = (same: Entry, entry: Entry, duplicates: Duplicates): 'MERGED' | 'SKIPPED' => {
  if (duplicates === 'SKIP') return 'SKIPPED'
  const before = JSON.stringify([same.name, same.numbers, same.emails])
  if (duplicates === 'REPLACE') Object.assign(same, { name: entry.name, numbers: entry.numbers, emails: entry.emails })
  else {
    same.numbers = [...new Set([...same.numbers, ...entry.numbers])].slice(0, maxValues)
    same.emails = [...new Set([...same.emails, ...entry.emails])].slice(0, maxValues)
  }
  return JSON.stringify([same.name, same.numbers, same.emails]) === before ? 'SKIPPED' : 'MERGED'
}

const refuseTooMany = async (tables: Tables, accountId: string, added: number): Promise<void> => {
  if (added > 0 && (await tables.contacts.count(accountId)) + added > maxContacts) throw new Problem('contact_limit_reached')
}

const carryOut = async (
  { store, clock, newId, breathe }: ImportDeps,
  { accountId, userId }: UserCaller,
  plan: ImportPlan,
): Promise<void> => {
  for (const batch of batchesOf(plan.created)) {
    await store.write(async (tables) => {
      await tables.accounts.lock(accountId)
      await refuseTooMany(tables, accountId, batch.length)
      const created = batch.map((entry) => ({ id: newId(), owner: userId, ...entry }))
      await tables.contacts.insert(accountId, created, clock.now())
    })
    await breathe()
  }
  for (const batch of batchesOf(plan.changed)) {
    await store.write(async (tables) => {
      for (const contact of batch) await tables.contacts.update(accountId, contact)
    })
    await breathe()
  }
}

function* batchesOf<T extends Entry>(entries: Iterable<T>): Generator<T[]> {
  let batch: T[] = []
  let size = 0
  for (const entry of entries) {
    batch.push(entry)
    size += 1 + entry.numbers.length + entry.emails.length
    if (size < batchBudget) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}
