/** The compared subset of an OpenAPI document. */
export interface Document {
  paths: Record<string, Record<string, unknown>>
  components?: Record<string, Record<string, unknown>>
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  [rule: string]: unknown
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  schema?: Schema
}

type Content = Record<string, { schema?: Schema }>

export interface Operation {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content?: Content }
  responses?: Record<string, { content?: Content }>
  security?: Record<string, string[]>[]
}

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

/** Operations by method and path, such as `GET /v1/account`. */
export const operations = ({ paths }: Document): Map<string, Operation> =>
  new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => methods.includes(method))
        .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation as Operation] as const),
    ),
  )

/** Resolves a reference; returns other values unchanged. */
export const resolved = <T extends object>(document: Document, value: T): T => {
  const reference = (value as { $ref?: unknown }).$ref
  if (typeof reference !== 'string') return value
  const [, , kind = '', name = ''] = reference.split('/')
  const found = document.components?.[kind]?.[name]
  if (found === undefined) throw new Error(`The document has no ${reference}.`)
  return resolved(document, found as T)
}
