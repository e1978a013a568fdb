import type { FileEntry, FileSection } from '@offhook/contract/account-file.ts'
import { Mistake } from '../terminal/mistake.ts'

/** Name of an entry in its account; ids differ in every account. */
export const referenceOf = {
  users: ({ email }: Pick<FileEntry<'users'>, 'email'>) => `user:${email.toLowerCase()}`,
  lines: ({ user, name }: Pick<FileEntry<'lines'>, 'user' | 'name'>) => `line:${user.toLowerCase()}/${name}`,
  groups: ({ name }: Pick<FileEntry<'groups'>, 'name'>) => `group:${name}`,
  numbers: ({ number }: Pick<FileEntry<'numbers'>, 'number'>) => `number:${number}`,
  hours: ({ name }: Pick<FileEntry<'hours'>, 'name'>) => `hours:${name}`,
  flows: ({ name }: Pick<FileEntry<'flows'>, 'name'>) => `flow:${name}`,
  assistants: ({ flow }: Pick<FileEntry<'assistants'>, 'flow'>) => `assistant:${flow}`,
  routes: ({ of }: Pick<FileEntry<'routes'>, 'of'>) => `routes of ${of}`,
}

/** References that come with an entry: its voicemail, fax line and SMS extension. */
export const companions = (reference: string): string[] => {
  if (reference.startsWith('user:')) return [reference.replace('user:', 'fax:'), reference.replace('user:', 'sms:')]
  if (reference.startsWith('line:')) return [`voicemail:${reference}`]
  return reference.startsWith('group:') ? [`voicemail:${reference}`, `fax:${reference}`] : []
}

const isReference = /^(?:line|group|number|flow|voicemail|fax|sms|hours):/

/** Names of the resources of an account, and their ids. */
export class References {
  readonly #ids = new Map<string, string>()
  readonly #names = new Map<string, string>()
  readonly #ambiguous = new Set<string>()

  add(reference: string, id: string | undefined): void {
    if (id === undefined) return
    const present = this.#ids.get(reference)
    if (present !== undefined && present !== id) this.#ambiguous.add(reference)
    this.#ids.set(reference, id)
    this.#names.set(id, reference)
  }

  find(reference: string): string | undefined {
    if (this.#ambiguous.has(reference))
      throw new Mistake(1, `The account has ${reference} more than once. Rename all but one in the console.`)
    return this.#ids.get(reference)
  }

  require(reference: string): string {
    const id = this.find(reference)
    if (id === undefined) throw new Mistake(1, `${reference} is not in the account.`)
    return id
  }

  /** A reference becomes an id; everything else stays. */
  idOf = (text: string): string => (isReference.test(text) ? this.require(text) : text)

  /** An id becomes a reference; everything else stays. */
  nameOf = (text: string): string => this.#names.get(text) ?? text

  requireUnique(): void {
    for (const reference of this.#ambiguous) this.find(reference)
  }
}

type Translate = (text: string) => string

/** Translates every field of an entry that can name another resource. */
export const translate = <S extends FileSection>(section: S, entry: FileEntry<S>, to: Translate): FileEntry<S> => {
  const translator = translators[section]
  return translator?.(entry, to) ?? entry
}

const translators: { [S in FileSection]?: (entry: FileEntry<S>, to: Translate) => FileEntry<S> } = {
  lines: ({ forwardings, parallelForwardings, ...entry }, to) => ({
    ...entry,
    ...(forwardings && { forwardings: forwardings.map((one) => ({ ...one, destination: to(one.destination) })) }),
    ...(parallelForwardings && { parallelForwardings: parallelForwardings.map((one) => ({ ...one, destination: to(one.destination) })) }),
  }),
  numbers: (entry, to) => (typeof entry.to === 'string' ? { ...entry, to: to(entry.to) } : entry),
  flows: ({ transfer_targets: targets, fallback, ...entry }, to) => ({
    ...entry,
    ...(targets && { transfer_targets: targets.map(to) }),
    ...(fallback && { fallback: fallback.transfer_to === undefined ? fallback : { ...fallback, transfer_to: to(fallback.transfer_to) } }),
  }),
  assistants: (entry, to) => {
    const { tools } = entry.settings
    if (!tools?.transfer) return entry
    const transfer = tools.transfer.map((one) => ({ ...one, target: to(one.target) }))
    return { ...entry, settings: { ...entry.settings, tools: { ...tools, transfer } } }
  },
  routes: ({ of, rules, overflow }, to) => {
    const targeted = <T extends { to?: string }>(one: T): T => (one.to === undefined ? one : { ...one, to: to(one.to) })
    return {
      of: to(of),
      ...(rules && { rules: rules.map((rule) => ({ ...targeted(rule), hours: to(`hours:${rule.hours}`).replace(/^hours:/, '') })) }),
      ...(overflow && { overflow: overflow.map(targeted) }),
    }
  },
}

/** Every reference in an entry. */
export const referencesIn = <S extends FileSection>(section: S, entry: FileEntry<S>): string[] => {
  const found: string[] = []
  translate(section, entry, (text) => {
    if (isReference.test(text)) found.push(text)
    return text
  })
  return found
}
