import { shapeNames } from './openapi-names.ts'

type Json = Record<string, unknown>

/** Collects the shapes of an interface: every object gets a name, the same shape the same one, so that generated clients have names, too. */
export class NamedSchemas {
  /** By the text of the shape. */
  readonly #names = shapeNames()
  readonly #found = new Map<string, Json>()

  /** A reference to the shape, which is called so unless it has a name already. What is no object stays where it is. */
  refer(schema: object, name: string): Json {
    const text = JSON.stringify(schema)
    const known = this.#names.get(text)
    if (known === undefined && !isObject(schema)) return this.#namedInside(schema, name)
    const own = known ?? this.#unused(name)
    if (!this.#found.has(own)) {
      this.#names.set(text, own)
      this.#found.set(own, {}) // holds the place, so that names are in the order in which they are met
      this.#found.set(own, this.#namedInside(schema, own))
    }
    return { $ref: `#/components/schemas/${own}` }
  }

  /** The same for what an operation takes or gives: called after the operation, also when another one has the same shape. */
  referWhole(schema: object, name: string): Json {
    if (this.#names.has(JSON.stringify(schema)) || !isObject(schema)) return this.refer(schema, name)
    const own = this.#listName(schema) ?? this.#unused(name)
    if (!this.#found.has(own)) this.#found.set(own, this.#namedInside(schema, own))
    return { $ref: `#/components/schemas/${own}` }
  }

  all(): Json {
    return Object.fromEntries([...this.#found].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }

  #namedInside(schema: object, name: string): Json {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.#part(key, value, name)]))
  }

  #part(key: string, value: unknown, name: string): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (key === 'properties' || key === 'patternProperties')
      return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, this.refer(inner as object, name + pascal(field))]))
    if (key === 'items') return this.refer(value, singular(name))
    if (key === 'anyOf') return (value as object[]).map((one, index) => this.refer(one, name + (variant(one) ?? String(index + 1))))
    return value
  }

  /** `{ items: [PhoneNumber] }` → PhoneNumberList */
  #listName(schema: object): string | undefined {
    const { items, ...others } = ('properties' in schema ? schema.properties : {}) as { items?: { items?: object } }
    const element = items?.items && this.#names.get(JSON.stringify(items.items))
    return element === undefined || Object.keys(others).length > 0 ? undefined : `${element}List`
  }

  #unused(name: string): string {
    let own = name
    for (let count = 2; this.#found.has(own); count++) own = `${name}${count}`
    return own
  }
}

const isObject = (schema: object): boolean =>
  'properties' in schema && typeof schema.properties === 'object' && Object.keys(schema.properties ?? {}).length > 0

/** What tells one of several shapes from the others: `{ kind: 'speech' }` → Speech. */
const variant = (schema: object): string | undefined => {
  const properties = Object.values(
    ('properties' in schema ? schema.properties : {}) as Record<string, { const?: unknown; enum?: unknown[] }>,
  )
  const word = properties.flatMap(({ const: only, enum: words = [] }) => only ?? (words.length === 1 ? words : [])).at(0)
  return typeof word === 'string' ? pascal(word.toLowerCase()) : undefined
}

export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const singular = (name: string): string =>
  name
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch)es$/, '$1')
    .replace(/([^s])s$/, '$1')
