import { Problem } from '@offhook/contract/problem.ts'
import type { ContactImport, ImportOutcome } from '@offhook/contract/v1/contacts.ts'
import type { Static } from 'typebox'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Contact } from '#core/kernel/ports/store/account/contacts.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { maxContacts, readContact } from '../contact-entry.ts'
import { folded } from '../names.ts'
import type { Card } from './card.ts'
import { readContactCsv } from './contact-csv.ts'
import { readVcards } from './vcard.ts'

type Input = Static<typeof ContactImport>
type Outcome = Static<typeof ImportOutcome>
type Entry = Omit<Contact, 'id' | 'owner'>

export interface ImportDeps {
  store: Store
  clock: Clock
  newId: () => string
  /** Lets others have their turn: numbers take long to read. */
  breathe: () => Promise<void>
}

const cardsPerBatch = 100
const maxProblems = 100
const maxShown = 20

/** Reads a file and writes what is new or different in one transaction; with `dryRun` it only tells. */
export const importContacts = async (deps: ImportDeps, caller: UserCaller, input: Input): Promise<Outcome> => {
  const account = await deps.store.read.accounts.find(caller.accountId)
  if (!account) throw new Problem('account_not_found')
  const cards = readCards(input)
  if (cards.length > maxContacts) throw new Problem('contact_limit_reached')
  const { entries, problems } = await readEntries(deps, cards, { country: account.country, shared: input.shared ?? false })
  const work = async (tables: Tables): Promise<Outcome> => {
    const plan = planImport(await editable(tables, caller), entries, input.duplicates ?? 'MERGE')
    await refuseTooMany(tables, caller.accountId, plan.created.length)
    if (input.dryRun !== true) await carryOut(tables, deps, caller, plan)
    return {
      created: plan.created.length,
      merged: plan.changed.length,
      skipped: plan.skipped,
      problems: problems.slice(0, maxProblems),
      preview: plan.preview.slice(0, maxShown),
    }
  }
  if (input.dryRun === true) return work(deps.store.read)
  return deps.store.write(async (tables) => {
    await tables.accounts.lock(caller.accountId)
    return work(tables)
  })
}

const readCards = ({ format, base64Content, columns }: Input): Card[] => {
  const text = textOf(Buffer.from(base64Content, 'base64'))
  const cards = format === 'VCARD' ? readVcards(text) : readContactCsv(text, columns)
  if (cards.length === 0) throw new Problem('file_unreadable', 'There is no contact in the file.')
  return cards
}

/** UTF-8, or what Windows writes without saying so. A file with zero bytes is no text. */
const textOf = (bytes: Buffer): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes.includes(0)) throw new Problem('file_unreadable', 'The file is not a text file.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const readEntries = async ({ breathe }: ImportDeps, cards: readonly Card[], { country, shared }: { country: string; shared: boolean }) => {
  const entries: Entry[] = []
  const problems: Outcome['problems'] = []
  for (const [at, card] of cards.entries()) {
    if (at % cardsPerBatch === cardsPerBatch - 1) await breathe()
    const readable = (field: 'numbers' | 'emails'): string[] =>
      card[field].slice(0, 20).flatMap((value) => {
        try {
          return readContact({ name: '-', [field]: [value] }, country)[field]
        } catch (error) {
          problems.push({ line: card.line, message: error instanceof Problem ? error.message : 'cannot be read' })
          return []
        }
      })
    const [numbers, emails] = [readable('numbers'), readable('emails')]
    const name = nameOf(card, numbers, emails)
    if (name === undefined) problems.push({ line: card.line, message: 'has neither a name nor a number' })
    else entries.push({ name, numbers: [...new Set(numbers)], emails: [...new Set(emails)], shared })
  }
  return { entries, problems }
}

const nameOf = (card: Card, numbers: readonly string[], emails: readonly string[]): string | undefined => {
  const name = card.name
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 200)
  return name === '' ? (numbers[0] ?? emails[0]) : name
}

interface Plan {
  created: Entry[]
  changed: Contact[]
  skipped: number
  preview: NonNullable<Outcome['preview']>
}

/** Contacts that this user may change. */
const editable = async (tables: Tables, { accountId, userId, admin }: UserCaller): Promise<Contact[]> =>
  (await tables.contacts.listVisible(accountId, userId)).filter(({ owner }) => admin || owner === userId)

/** The same name or a number in common: that is the same contact, also inside the file. */
const planImport = (known: readonly Contact[], entries: readonly Entry[], duplicates: NonNullable<Input['duplicates']>): Plan => {
  const plan: Plan = { created: [], changed: [], skipped: 0, preview: [] }
  const index = new Map<string, Entry>()
  const keysOf = ({ name, numbers, shared }: Entry): string[] => [
    `${shared} ${folded(name)}`,
    ...numbers.map((number) => `${shared} ${number}`),
  ]
  const learn = (entry: Entry): void => keysOf(entry).forEach((key) => index.has(key) || index.set(key, entry))
  known.forEach((contact) => learn({ ...contact }))
  const changed = new Set<Entry>()
  for (const entry of entries) {
    const key = keysOf(entry).find((one) => index.has(one))
    const same = key === undefined ? undefined : index.get(key)
    const action = same ? applied(same, entry, duplicates) : 'CREATED'
    if (!same) plan.created.push(entry)
    else if (action === 'SKIPPED') plan.skipped += 1
    else if ('id' in same) changed.add(same)
    learn(same ?? entry)
    if (plan.preview.length < maxShown) plan.preview.push({ name: entry.name, numbers: entry.numbers, emails: entry.emails, action })
  }
  plan.changed = [...changed] as Contact[]
  return plan
}

const applied = (same: Entry, entry: Entry, duplicates: NonNullable<Input['duplicates']>): 'MERGED' | 'SKIPPED' => {
  if (duplicates === 'SKIP') return 'SKIPPED'
  const before = JSON.stringify([same.name, same.numbers, same.emails])
  if (duplicates === 'REPLACE') Object.assign(same, { name: entry.name, numbers: entry.numbers, emails: entry.emails })
  else {
    same.numbers = [...new Set([...same.numbers, ...entry.numbers])].slice(0, 20)
    same.emails = [...new Set([...same.emails, ...entry.emails])].slice(0, 20)
  }
  return JSON.stringify([same.name, same.numbers, same.emails]) === before ? 'SKIPPED' : 'MERGED'
}

const refuseTooMany = async (tables: Tables, accountId: string, added: number): Promise<void> => {
  if (added > 0 && (await tables.contacts.count(accountId)) + added > maxContacts) throw new Problem('contact_limit_reached')
}

const carryOut = async (tables: Tables, { clock, newId }: ImportDeps, { accountId, userId }: UserCaller, plan: Plan): Promise<void> => {
  const created = plan.created.map((entry) => ({ id: newId(), owner: userId, ...entry }))
  await tables.contacts.insert(accountId, created, clock.now())
  for (const contact of plan.changed) await tables.contacts.update(accountId, contact)
}
