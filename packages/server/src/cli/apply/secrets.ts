import type { AccountFile, FileSection } from '@offhook/contract/account-file.ts'
import { Mistake } from '../terminal/mistake.ts'
import type { ReadFile } from './read-account-file.ts'

/** An object of the file with a secret in one of its fields. */
interface Place {
  holder: Record<string, unknown>
  field: string
  path: (string | number)[]
}

interface KeyHolder {
  api_key?: string | null
  headers?: { name: string; value?: string }[]
}

const headersOf = (holder: KeyHolder | undefined, path: Place['path']): Place[] =>
  (holder?.headers ?? []).map((header, at) => ({ holder: header, field: 'value', path: [...path, 'headers', at] }))

const keyOf = (holder: KeyHolder | undefined, path: Place['path']): Place[] =>
  holder ? [{ holder: holder as Record<string, unknown>, field: 'api_key', path }] : []

type Settings = NonNullable<AccountFile['assistants']>[number]['settings']

/** Every place of an assistant where a secret can be. */
export const assistantPlaces = ({ model, knowledge, tools }: Settings, path: Place['path'] = []): Place[] => {
  const second = [...path, 'model', 'second']
  const embeddings = knowledge?.embeddings
  return [
    ...keyOf(model, [...path, 'model']),
    ...headersOf(model, [...path, 'model']),
    ...keyOf(model?.second, second),
    ...headersOf(model?.second, second),
    ...keyOf(embeddings, [...path, 'knowledge', 'embeddings']),
    ...(tools?.http ?? []).flatMap((tool, at) => headersOf(tool, [...path, 'tools', 'http', at])),
  ]
}

const placesOf = ({ users = [], flows = [], assistants = [] }: AccountFile): Place[] => [
  ...users.map((user, at): Place => ({ holder: user, field: 'password', path: ['users', at] })),
  ...flows.map((flow, at): Place => ({ holder: flow, field: 'apiKey', path: ['flows', at] })),
  ...assistants.flatMap(({ settings }, at) => assistantPlaces(settings, ['assistants', at, 'settings'])),
]

/** A secret whose variable is not set. */
export interface MissingSecret {
  section: FileSection
  /** Index of the entry in its section. */
  at: number
  name: string
}

/** Settings and tokens of Offhook itself are never given away. */
const reference = /^\$\{((?!OFFHOOK_)[A-Za-z_][A-Za-z0-9_]*)\}$/

/**
 * Replaces `${NAME}` by the environment variable; without it the secret is left out, so that the stored one stays. Rejects secrets that are
 * written into the file. Other fields are never replaced, so that a file cannot send variables elsewhere.
 */
export const fillSecrets = ({ content, lineOf }: ReadFile, file: string, environment: NodeJS.ProcessEnv): MissingSecret[] => {
  const missing: MissingSecret[] = []
  for (const { holder, field, path } of placesOf(content)) {
    const written = holder[field]
    if (typeof written !== 'string') continue
    const name = reference.exec(written)?.[1]
    if (name === undefined)
      throw new Mistake(2, `${file}:${lineOf([...path, field])}: ${field} is a secret. Put it into a variable and write \${NAME}.`)
    const value = environment[name]
    if (value === undefined || value === '') {
      delete holder[field]
      missing.push({ section: path[0], at: path[1], name } as MissingSecret)
    } else holder[field] = value
  }
  return missing
}

/** Names variables for the secrets of an exported account: upper case, unique. */
export class SecretNames {
  readonly #taken = new Set<string>()

  of(...parts: string[]): string {
    const name = parts
      .join('_')
      .normalize('NFKD')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')
    for (let count = 1; ; count++) {
      const unique = count === 1 ? name : `${name}_${count}`
      if (this.#taken.has(unique)) continue
      this.#taken.add(unique)
      return `\${${unique}}`
    }
  }
}
