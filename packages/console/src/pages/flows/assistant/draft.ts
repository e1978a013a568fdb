import type { InputOf, OutputOf } from '#api/use-service.ts'
import { isOtherOrigin } from '../parts/origin.ts'

/** The draft, in the service's input format. */
export type Draft = InputOf<'changeAssistant'>[1]['settings']
/** As the service shows it: without secrets. */
export type Shown = OutputOf<'getAssistant'>['settings']

type Branch = Record<string, unknown>

/** `tools/http/0/name`: the value at that path; undefined if missing. */
export const read = (from: unknown, path: string): unknown => {
  let value = from
  for (const name of path.split('/')) value = (value as Branch | null | undefined)?.[name]
  return value
}

/** A copy with another value at a path; creates parents. Undefined removes the value. */
export const written = <T>(into: T, path: string, value: unknown): T => {
  const [name = '', ...rest] = path.split('/')
  const inner = rest.length === 0 ? value : written(read(into, name) ?? {}, rest.join('/'), value)
  if (Array.isArray(into)) return into.with(Number(name), inner) as T
  const { [name]: _before, ...others } = into as Branch
  return (inner === undefined ? others : { ...others, [name]: inner }) as T
}

/** `api_key_set` is read-only. */
export const draftOf = (shown: Shown): Draft => mapped(shown, (name, value) => (name === 'api_key_set' ? undefined : value)) as Draft

/** Removes secrets after saving: they are never shown again. */
export const withoutSecrets = (draft: Draft): Draft =>
  mapped(draft, (name, value) => {
    if (name === 'api_key') return undefined
    return name === 'headers' && Array.isArray(value) ? value.map((header) => ({ name: (header as { name: string }).name })) : value
  }) as Draft

/** Whether the address at a path (`model`) points to another host than before: stored secrets do not move there. */
export const isMoved = (draft: Draft, before: Draft, place: string, placeBefore = place): boolean => {
  const [now, was] = [read(draft, `${place}/url`), read(before, `${placeBefore}/url`)]
  return typeof now === 'string' && typeof was === 'string' && isOtherOrigin(now, [was])
}

const modelPlaces = ['model', 'model/second']

/** The form shows no model headers, so those of another host are omitted. */
export const withoutForeignHeaders = (draft: Draft, before: Draft): Draft =>
  modelPlaces.reduce((all, place) => (isMoved(all, before, place) ? written(all, `${place}/headers`, undefined) : all), draft)

/** Replaces another draft: keeps its secrets only for the same host. */
export const inPlaceOf = (draft: Draft, before: Draft): Draft => {
  const keyed = [...modelPlaces, 'knowledge/embeddings'].filter((place) => isMoved(draft, before, place))
  const withoutKeys = keyed.reduce((all, place) => written(all, `${place}/api_key`, null), draft)
  const http = draft.tools?.http?.map(({ headers, ...tool }, at) => {
    const toolBefore = before.tools?.http?.findIndex(({ name }) => name === tool.name) ?? -1
    const isKept = toolBefore >= 0 && !isMoved(draft, before, `tools/http/${at}`, `tools/http/${toolBefore}`)
    return { ...tool, ...(headers && isKept && { headers }) }
  })
  return withoutForeignHeaders(http ? written(withoutKeys, 'tools/http', http) : withoutKeys, before)
}

/** Required fields of optional objects; without these the object is omitted. */
const needed: Readonly<Record<string, readonly string[]>> = {
  model: ['url', 'name'],
  second: ['url', 'name'],
  embeddings: ['url', 'name'],
  price: ['input_per_million', 'output_per_million'],
}
const emptyMeansNothing = ['limits', 'result', 'topics']

/** Input for the service: omits the form's empty fields. */
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

/** Maps every named value with `change`, from the leaves to the root; omits undefined ones. JSON Schemas stay unchanged. */
const mapped = (value: unknown, change: (name: string, value: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => mapped(one, change))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    const isSchema = (name === 'parameters' || name === 'fields') && typeof inner === 'object'
    return [name, change(name, isSchema ? inner : mapped(inner, change))] as const
  })
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined))
}
