import { operations, resolved, type Document, type Operation, type Parameter, type Schema } from './document.ts'
import { SchemaBreaks, type Direction, type Documents } from './schema-breaks.ts'

export interface BreakingChange {
  /** Method and path, such as `GET /v1/account`. */
  operation: string
  operationId: string
  what: string
}

/** Changes that break a client of the previous document. New operations, new optional fields and new response values do not break. */
export const breakingChanges = (before: Document, after: Document): BreakingChange[] => {
  const now = operations(after)
  return [...operations(before)].flatMap(([name, old]) => {
    const current = now.get(name)
    const breaks = current ? operationBreaks({ before, after }, old, current) : ['is gone']
    return [...new Set(breaks)].map((what) => ({ operation: name, operationId: old.operationId ?? '', what }))
  })
}

const operationBreaks = (documents: Documents, before: Operation, after: Operation): string[] => [
  ...(before.operationId === after.operationId ? [] : [`is called ${after.operationId} now`]),
  ...parameterBreaks(documents, before, after),
  ...bodyBreaks(documents, before, after),
  ...responseBreaks(documents, before, after),
  ...accessBreaks(before, after),
]

const parameterBreaks = (documents: Documents, before: Operation, after: Operation): string[] => {
  const [old, now] = [parametersOf(documents.before, before), parametersOf(documents.after, after)]
  const changed = [...old].flatMap(([key, was]) => {
    const is = now.get(key)
    if (!is) return [`${key} is gone`]
    const demanded = is.required && !was.required ? [`${key} is required now`] : []
    return [...demanded, ...schemaBreaks(documents, 'request', was.schema, is.schema, key)]
  })
  const added = [...now].filter(([key, { required }]) => required && !old.has(key)).map(([key]) => `${key} is required now`)
  return [...changed, ...added]
}

const parametersOf = (document: Document, { parameters = [] }: Operation): Map<string, Parameter> =>
  new Map(parameters.map((one) => resolved(document, one)).map((one) => [`${one.in} parameter ${one.name}`, one]))

const bodyBreaks = (documents: Documents, before: Operation, after: Operation): string[] => {
  const was = before.requestBody && resolved(documents.before, before.requestBody)
  const is = after.requestBody && resolved(documents.after, after.requestBody)
  if (!was) return is?.required ? ['a body is required now'] : []
  if (!is) return ['takes no body any more']
  return [
    ...(is.required && !was.required ? ['a body is required now'] : []),
    ...contentBreaks(documents, 'request', was.content, is.content, 'body'),
  ]
}

const responseBreaks = (documents: Documents, before: Operation, after: Operation): string[] =>
  Object.entries(before.responses ?? {})
    .filter(([status]) => /^[23]/.test(status))
    .flatMap(([status, response]) => {
      const is = after.responses?.[status]
      if (!is) return [`no longer answers ${status}`]
      return contentBreaks(
        documents,
        'response',
        resolved(documents.before, response).content,
        resolved(documents.after, is).content,
        `reply ${status}`,
      )
    })

const contentBreaks = (
  documents: Documents,
  direction: Direction,
  before: Record<string, { schema?: Schema }> = {},
  after: Record<string, { schema?: Schema }> = {},
  where: string,
): string[] =>
  Object.entries(before).flatMap(([type, { schema }]) => {
    const is = after[type]
    return is ? schemaBreaks(documents, direction, schema, is.schema, where) : [`${where} is no longer ${type}`]
  })

const schemaBreaks = (documents: Documents, direction: Direction, before: Schema = {}, after: Schema = {}, where: string): string[] =>
  new SchemaBreaks(documents, direction).find(before, after, where)

/** Every accepted authentication must still be accepted, without further scopes. */
const accessBreaks = (before: Operation, after: Operation): string[] => {
  const now = after.security ?? []
  if (now.length === 0) return []
  const old = before.security ?? []
  if (old.length === 0) return ['needs a token now']
  const isOpen = (way: Record<string, string[]>): boolean =>
    now.some((other) =>
      Object.entries(other).every(([scheme, scopes]) => way[scheme] !== undefined && scopes.every((scope) => way[scheme]?.includes(scope))),
    )
  return old.every(isOpen) ? [] : ['needs other permissions now']
}
