import type { Static, TObject, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Value } from 'typebox/value'
import { Problem, type ProblemDetail } from './problem.ts'

/** Validates a body without conversion: a number in quotes is not a number. */
export const bodyChecker = <S extends TSchema>(schema: S): ((value: unknown) => Static<S>) => checker(schema, (value) => value)

/**
 * Query values arrive as text; they are converted to the schema's types, and a single value may stand for a list. Some clients
 * write the name of a list as `name[]` or `name[0]`. Parameters that the operation does not know are ignored everywhere: programs send
 * some for other services or against caches.
 */
export const queryChecker = <S extends TObject>(schema: S): ((value: unknown) => Static<S>) => {
  const lists = Object.entries(schema.properties).flatMap(([name, { type }]: [string, { type?: unknown }]) =>
    type === 'array' ? [name] : [],
  )
  return checker(schema, (value) => Value.Convert(schema, known(schema, lists.reduce(joinList, value as Query))))
}

type Query = Readonly<Record<string, unknown>>

const joinList = (query: Query, list: string): Query => {
  const isPart = (name: string): boolean => name.startsWith(`${list}[`) && /^\[\d{0,4}\]$/.test(name.slice(list.length))
  const parts = Object.keys(query).filter(isPart)
  if (parts.length === 0) return query
  const rest = Object.fromEntries(Object.entries(query).filter(([name]) => !isPart(name)))
  return { ...rest, [list]: [list, ...parts].flatMap((name) => query[name] ?? []) }
}

const known = ({ properties }: TObject, value: unknown): object =>
  Object.fromEntries(Object.entries(Object(value) as object).filter(([name]) => Object.hasOwn(properties, name)))

/** Compiled at first use, so that the start does not pay for operations that are never called. */
const checker = <S extends TSchema>(schema: S, prepare: (value: unknown) => unknown): ((value: unknown) => Static<S>) => {
  let compiled: Validator | undefined
  return (value) => {
    compiled ??= Compile(schema)
    const prepared = prepare(value)
    if (compiled.Check(prepared)) return prepared as Static<S>
    throw invalid(details(compiled.Errors(prepared)))
  }
}

const invalid = (found: ProblemDetail[]): Problem => {
  const message = found.map(({ field, problem }) => `${field} ${problem}`).join('; ')
  return new Problem('parameter_invalid', message, { details: found })
}

interface SchemaError {
  keyword: string
  instancePath: string
  params: object
  message: string
}

/** One line per field, naming it. */
const details = (errors: readonly SchemaError[]): ProblemDetail[] => {
  const found = new Map<string, string>()
  for (const error of meant(errors)) for (const [field, problem] of explain(error)) if (!found.has(field)) found.set(field, problem)
  return [...found].map(([field, problem]) => ({ field, problem }))
}

/** Omits the type error of the other alternative for a body that may be a list or an object. */
const meant = (errors: readonly SchemaError[]): readonly SchemaError[] => {
  const others = errors.filter(({ keyword, instancePath }) => instancePath !== '' || keyword !== 'type')
  return others.some(({ keyword }) => keyword !== 'anyOf') ? others : errors
}

const explain = ({ keyword, instancePath, params, message }: SchemaError): [string, string][] => {
  const at = instancePath.slice(1)
  const under = (name: string) => (at === '' ? name : `${at}/${name}`)
  if (keyword === 'required' && 'requiredProperties' in params) return names(params.requiredProperties, under, 'is required')
  if (keyword === 'additionalProperties' && 'additionalProperties' in params)
    return names(params.additionalProperties, under, 'is not known')
  if (keyword === 'boolean' || keyword === 'anyOf') return []
  if (keyword === 'enum' && 'allowedValues' in params) return [[at, `must be one of ${(params.allowedValues as string[]).join(', ')}`]]
  return [[at === '' ? 'body' : at, message]]
}

const names = (list: unknown, under: (name: string) => string, problem: string): [string, string][] =>
  (list as string[]).map((name) => [under(name), problem])
