import type { InputOf, OutputOf } from '#api/use-service.ts'

/** What is being written, as the service takes it. */
export type Draft = InputOf<'changeAssistant'>[1]['settings']
/** As the service shows it: without what is secret. */
export type Shown = OutputOf<'getAssistant'>['settings']

type Branch = Record<string, unknown>

/** `tools/http/0/name`: the value at that place, undefined when there is none. */
export const read = (from: unknown, path: string): unknown => {
  let value = from
  for (const name of path.split('/')) value = (value as Branch | null | undefined)?.[name]
  return value
}

/** The same with another value at a place; what leads there is made. Undefined takes it away. */
export const written = <T>(into: T, path: string, value: unknown): T => {
  const [name = '', ...rest] = path.split('/')
  const inner = rest.length === 0 ? value : written(read(into, name) ?? {}, rest.join('/'), value)
  if (Array.isArray(into)) return into.with(Number(name), inner) as T
  const { [name]: _before, ...others } = into as Branch
  return (inner === undefined ? others : { ...others, [name]: inner }) as T
}

/** Whether there is a key is shown, and cannot be written. */
export const draftOf = (shown: Shown): Draft => mapped(shown, (name, value) => (name === 'api_key_set' ? undefined : value)) as Draft

/** After it was saved the form has no secrets any more: they are not shown again. */
export const withoutSecrets = (draft: Draft): Draft =>
  mapped(draft, (name, value) => {
    if (name === 'api_key') return undefined
    return name === 'headers' && Array.isArray(value) ? value.map((header) => ({ name: (header as { name: string }).name })) : value
  }) as Draft

/** What must be there when anything of it is; without these it is left out as a whole. */
const needed: Readonly<Record<string, readonly string[]>> = {
  model: ['url', 'name'],
  second: ['url', 'name'],
  embeddings: ['url', 'name'],
  price: ['input_per_million', 'output_per_million'],
}
const emptyMeansNothing = ['limits', 'result', 'topics']

/** What is sent: a form has empty fields, an assistant has not. */
export const inputOf = (draft: Draft): Draft => {
  const topics = draft.topics && { ...draft.topics, forbidden: draft.topics.forbidden ?? [] }
  const input = mapped({ ...draft, ...(topics && { topics }) }, (name, value) => {
    if (value === '') return undefined
    if (name === 'topics' && read(value, 'text') === undefined && (read(value, 'forbidden') as unknown[]).length === 0) return undefined
    if (name in needed && (needed[name] ?? []).every((one) => [undefined, ''].includes(read(value, one) as undefined))) return undefined
    return emptyMeansNothing.includes(name) && Object.keys(value as object).length === 0 ? undefined : value
  }) as Draft
  return { ...input, greeting: draft.greeting, prompt: draft.prompt }
}

/** Every named value as `change` wants it, from the leaves to the root; what becomes undefined is left out. JSON Schemas stay as they are. */
const mapped = (value: unknown, change: (name: string, value: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => mapped(one, change))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    const isSchema = (name === 'parameters' || name === 'fields') && typeof inner === 'object'
    return [name, change(name, isSchema ? inner : mapped(inner, change))] as const
  })
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined))
}
